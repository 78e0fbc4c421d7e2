import type { WholeAnswer } from '../format.ts';
import type { Watch } from '../wire/event-scan.ts';

type Content = Pick<WholeAnswer, 'content' | 'binaries'>;

/** Everything that a whole answer's choices hold of what a stream would be watched for. */
export function contentOf(choices: unknown, watch: Pick<Watch, 'content' | 'binary'>): Content {
  const content: string[] = [];
  const binaries: string[] = [];
  const read = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') read(inner);
      else if (watch.content.includes(name)) content.push(inner);
      else if (watch.binary.includes(name)) binaries.push(inner);
    }
  };
  read(choices);
  return { content, binaries };
}

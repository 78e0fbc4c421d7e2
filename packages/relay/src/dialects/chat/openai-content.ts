import { tooDeepError } from '../../errors/response-errors.ts';
import { DEPTH_MAX } from '../../json/json.ts';
import type { NonStreamingResponse } from '../../model/dialect.ts';
import type { WatchedKeys } from '../../wire/event-scan.ts';

type Content = Pick<NonStreamingResponse, 'content' | 'binaries'>;

/**
 * Returns the content of a non-streaming response's choices that a stream's scan would find. @throws UpstreamError
 */
export function collectContent(choices: unknown, watch: Pick<WatchedKeys, 'content' | 'binary'>): Content {
  const content: string[] = [];
  const binaries: string[] = [];
  const read = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > DEPTH_MAX) throw tooDeepError();
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') read(inner, depth + 1);
      else if (watch.content.includes(name)) content.push(inner);
      else if (watch.binary.includes(name)) binaries.push(inner);
    }
  };
  read(choices, 1);
  return { content, binaries };
}

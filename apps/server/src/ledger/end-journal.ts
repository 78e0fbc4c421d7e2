/** Ends of holds that were decided while the database was away, on this node's own disk. */
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import type { EndJournal } from './hold-ends.ts';
import type { End } from './movement.ts';

const NAME = 'unwritten-ends.jsonl';
/** With lines that nobody can read, for people to look into. */
const DAMAGED = 'unwritten-ends.damaged.jsonl';

/** Whether a node could not write yet what was settled: the next process with its folder does. */
export const hasUnwrittenEnds = (dataDir: string): boolean => existsSync(join(dataDir, NAME));

/** @param dataDir of this node alone */
export function openEndJournal(
  dataDir: string,
  log: Log,
): EndJournal & {
  /** What an earlier process of this node could not write. */
  left: readonly End[];
} {
  const file = join(dataDir, NAME);
  let descriptor: number | undefined;
  const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const { left, damaged } = endsIn(content.toString());
  if (damaged > 0) {
    keep(content, join(dataDir, DAMAGED));
    log.error({ lines: damaged, file: DAMAGED }, 'settlements that were noted cannot be read; they are kept');
  }
  // What waits for nobody would keep `copy` waiting.
  if (left.length === 0) rmSync(file, { force: true });
  return {
    left,
    note(end) {
      // Each line is on the disk when the answer's end is sent.
      const { O_APPEND, O_CREAT, O_SYNC, O_WRONLY } = constants;
      descriptor ??= openSync(file, O_APPEND | O_CREAT | O_SYNC | O_WRONLY, 0o600);
      // What a crash or a full disk has cut short before it takes nothing of this line.
      writeFileSync(descriptor, `\n${JSON.stringify(end)}\n`);
    },
    clear() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      rmSync(file, { force: true });
    },
  };
}

/** Behind what was kept before, and once, however often a process starts before it is all written. */
function keep(content: Buffer, file: string): void {
  const kept = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (!kept.includes(content)) appendFileSync(file, content, { mode: 0o600 });
}

function endsIn(text: string): { left: End[]; damaged: number } {
  // A last line that a crash cut short was never answered for.
  const lines = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '');
  const left = lines.flatMap((line) => endIn(line) ?? []);
  return { left, damaged: lines.length - left.length };
}

function endIn(line: string): End | undefined {
  try {
    return JSON.parse(line) as End;
  } catch {
    return undefined;
  }
}

/** Ends of holds that were decided while the database was away, on this node's own disk. */
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { EndJournal } from '../hold-ends.ts';
import type { End } from '../movement.ts';

const NAME = 'unwritten-ends.jsonl';

/** @param dataDir of this node alone */
export function openEndJournal(dataDir: string): EndJournal & {
  /** What an earlier process of this node could not write. */
  left: readonly End[];
} {
  const file = join(dataDir, NAME);
  let descriptor: number | undefined;
  return {
    left: existsSync(file) ? endsIn(readFileSync(file, 'utf8')) : [],
    note(end) {
      // Each line is on the disk when the answer's end is sent.
      const { O_APPEND, O_CREAT, O_SYNC, O_WRONLY } = constants;
      descriptor ??= openSync(file, O_APPEND | O_CREAT | O_SYNC | O_WRONLY, 0o600);
      writeSync(descriptor, `${JSON.stringify(end)}\n`);
    },
    clear() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      rmSync(file, { force: true });
    },
  };
}

/** A line that a crash cut short was never answered for. */
function endsIn(text: string): End[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as End);
}

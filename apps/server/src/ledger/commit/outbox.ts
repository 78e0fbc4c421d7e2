/**
 * Outbox on this node's own disk for decided settlements that could not be written, because the database was
 * unreachable or the disk full. The file consists of lines; its empty lines are space that was allocated before a
 * disk is full.
 */
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../platform/log.ts';
import type { HoldSettlement } from '../ledger-write-types.ts';
import type { Outbox } from '../settlements.ts';

const FILE_NAME = 'unwritten-ends.jsonl';
/** File of unreadable lines, for an operator to examine. */
const DAMAGED_FILE_NAME = 'unwritten-ends.damaged.jsonl';
const LINE_END = 0x0a;

/** Returns whether a node has unwritten settlements; the next process with its folder writes them. */
export function hasUnwrittenSettlements(dataDir: string): boolean {
  const file = join(dataDir, FILE_NAME);
  return existsSync(file) && usedBytes(readFileSync(file)) > 0;
}

/**
 * Copies the unwritten settlements, which the next start removes: it writes those that have a hold in the database at
 * that time, and the others belong to another database.
 * @returns whether there are any
 */
export function copyUnwrittenSettlements(dataDir: string, target: string): boolean {
  if (!hasUnwrittenSettlements(dataDir)) return false;
  copyFileSync(join(dataDir, FILE_NAME), target, constants.COPYFILE_EXCL);
  return true;
}

/**
 * @param dataDir folder of this node alone
 * @param roomBytes space to allocate at once, so that the outbox works on a full disk
 */
export function openOutbox(
  dataDir: string,
  log: Log,
  roomBytes = 0,
): Outbox & {
  /** Settlements that an earlier process of this node could not write. */
  pending: readonly HoldSettlement[];
  /** Moves settlements that can never be written to a separate file, for an operator to examine. */
  setAside(ends: readonly HoldSettlement[]): void;
} {
  const file = join(dataDir, FILE_NAME);
  let descriptor: number | undefined;
  const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  let used = usedBytes(content);
  const mayBeCut = roomBytes > 0 || used === content.length;
  const { left, damaged } = parseSettlements(content.toString('utf8', 0, used), mayBeCut);
  if (damaged > 0) {
    appendDamaged(content, join(dataDir, DAMAGED_FILE_NAME));
    log.error(
      { lines: damaged, file: DAMAGED_FILE_NAME },
      'settlements in the outbox cannot be read; they were moved to a separate file',
    );
  }
  let size = content.length;
  const getDescriptor = (): number => {
    // `O_SYNC`: each line is on the disk before the response ends.
    const { O_CREAT, O_SYNC, O_RDWR } = constants;
    descriptor ??= openSync(file, O_CREAT | O_SYNC | O_RDWR, 0o600);
    return descriptor;
  };
  const empty = (): void => {
    if (roomBytes > 0) {
      writeAll(getDescriptor(), Buffer.alloc(used, LINE_END), 0);
    } else {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      rmSync(file, { force: true });
    }
    used = 0;
  };
  /** Allocates the rest of the space. */
  const allocate = (): void => {
    if (size >= roomBytes) return;
    writeAll(getDescriptor(), Buffer.alloc(roomBytes - size, LINE_END), size);
    size = roomBytes;
  };
  let isFailing = false;
  const clear = (): void => {
    try {
      empty();
      allocate();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'the disk has no space for the outbox of settlements');
      isFailing = true;
    }
  };
  // Without pending settlements, a damaged rest must not block `copy`.
  if (left.length === 0) clear();
  return {
    pending: left,
    append(end) {
      // The leading line break separates the line from one that a crash has cut short.
      const line = Buffer.from(`\n${JSON.stringify(end)}\n`);
      writeAll(getDescriptor(), line, used);
      used += line.length;
      size = Math.max(size, used);
    },
    setAside(ends) {
      if (ends.length === 0) return;
      appendDamaged(
        Buffer.from(ends.map((end) => `${JSON.stringify(end)}\n`).join('')),
        join(dataDir, DAMAGED_FILE_NAME),
      );
    },
    clear,
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** @throws Error when not everything can be written */
function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
}

/** Returns the length without the allocated empty space. */
function usedBytes(content: Buffer): number {
  let end = content.length;
  while (end > 0 && content[end - 1] === LINE_END) end -= 1;
  return end;
}

/** Appends damaged content once, even if the process restarts before everything is written. */
function appendDamaged(content: Buffer, file: string): void {
  const stored = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (!stored.includes(content)) appendFileSync(file, content, { mode: 0o600 });
}

/** @param mayBeCut whether a crash may have truncated the last line, whose settlement was then never confirmed */
function parseSettlements(text: string, mayBeCut: boolean): { left: HoldSettlement[]; damaged: number } {
  const lines = text.split('\n').filter((line) => line !== '');
  const ends = lines.map(parseSettlement);
  const left = ends.filter((end) => end !== undefined);
  const isCut = mayBeCut && lines.length > 0 && ends.at(-1) === undefined;
  return { left, damaged: lines.length - left.length - Number(isCut) };
}

function parseSettlement(line: string): HoldSettlement | undefined {
  try {
    return JSON.parse(line) as HoldSettlement;
  } catch {
    return undefined;
  }
}

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog, silentLog } from '../../platform/log.ts';
import type { HoldSettlement } from '../ledger-write-types.ts';
import { hasUnwrittenSettlements, openOutbox } from './outbox.ts';

const ROOM_BYTES = 65_536;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'unwritten-ends.jsonl');
const endOf = (requestId: string): HoldSettlement => ({
  type: 'void',
  hold: { requestId, userId: 1, apiKeyId: null, limited: false, amount: 10 },
  record: undefined,
});
const leftIn = (roomBytes: number): string[] => {
  const journal = openOutbox(folder, silentLog, roomBytes);
  journal.close();
  return journal.pending.map(({ hold }) => hold.requestId);
};

describe.each([0, ROOM_BYTES])('a journal with %i bytes of room', (roomBytes) => {
  test('returns recorded settlements to the next process until it is cleared', () => {
    const first = openOutbox(folder, silentLog, roomBytes);
    expect(hasUnwrittenSettlements(folder)).toBe(false);
    for (const id of ['a', 'b']) first.append(endOf(id));
    expect(hasUnwrittenSettlements(folder)).toBe(true);
    // A process that was killed closes nothing.
    const second = openOutbox(folder, silentLog, roomBytes);
    second.append(endOf('c'));
    expect(leftIn(roomBytes)).toEqual(['a', 'b', 'c']);
    second.clear();
    expect(hasUnwrittenSettlements(folder)).toBe(false);
    second.append(endOf('d'));
    second.close();
    expect(leftIn(roomBytes)).toEqual(['d']);
    first.close();
  });

  test('skips a last line that a crash cut short, and reads lines after it', () => {
    const first = openOutbox(folder, silentLog, roomBytes);
    first.append(endOf('a'));
    first.close();
    const noted = readFileSync(file(), 'utf8').trimEnd();
    writeFileSync(file(), `${noted}\n{"type":"vo`);
    const second = openOutbox(folder, silentLog, roomBytes);
    expect(second.pending).toHaveLength(1);
    second.append(endOf('b'));
    second.close();
    expect(existsSync(join(folder, 'unwritten-ends.damaged.jsonl'))).toBe(false);
    expect(leftIn(roomBytes)).toEqual(['a', 'b']);
  });
});

test('reserves disk space in advance, so that recording needs no more', () => {
  const journal = openOutbox(folder, silentLog, ROOM_BYTES);
  expect(statSync(file()).size).toBe(ROOM_BYTES);
  for (let nth = 0; nth < 100; nth += 1) journal.append(endOf(`request ${nth}`));
  expect(statSync(file()).size).toBe(ROOM_BYTES);
  journal.clear();
  expect(statSync(file()).size).toBe(ROOM_BYTES);
  expect(readFileSync(file(), 'utf8').trim()).toBe('');
  journal.close();
});

test('a disk that takes no room, or lets nothing be removed, throws nothing', () => {
  const warnings: string[] = [];
  const log = createLog('warn', { write: (line) => void warnings.push(line) });
  const boundless = openOutbox(folder, log, Number.MAX_SAFE_INTEGER);
  boundless.append(endOf('a'));
  boundless.clear();
  boundless.clear();
  boundless.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('the disk has no space for the outbox of settlements');
  expect(hasUnwrittenSettlements(folder)).toBe(false);

  const journal = openOutbox(folder, log);
  mkdirSync(file());
  journal.clear();
  expect(warnings).toHaveLength(2);
  rmdirSync(file());
  journal.append(endOf('b'));
  journal.close();
  expect(leftIn(0)).toEqual(['b']);
});

test('more than the room is noted as well', () => {
  const journal = openOutbox(folder, silentLog, 256);
  const ids = Array.from({ length: 10 }, (_, nth) => `request ${nth}`);
  for (const id of ids) journal.append(endOf(id));
  journal.close();
  expect(leftIn(256)).toEqual(ids);
});

test('keeps unreadable lines for the operator', () => {
  writeFileSync(file(), 'no JSON\n');
  appendFileSync(file(), `${JSON.stringify(endOf('a'))}\n`);
  expect(leftIn(0)).toEqual(['a']);
  expect(readFileSync(join(folder, 'unwritten-ends.damaged.jsonl'), 'utf8')).toContain('no JSON');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { advanceWhile } from '../testing/advance-until.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { openDatabase } from './open-database.ts';
import {
  CHUNK_BYTES,
  CHUNK_ROWS,
  matchesAnyKey,
  pluckIds,
  processRowsInChunks,
  runInChunks,
  selectByteSize,
} from './process-in-chunks.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-pieces-'));
const machine = createTestClock(0);
const db = await openDatabase(join(folder, 'switchyard.db'), undefined, undefined, machine);
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => db.writer.deleteFrom('mail').execute());

/** Inserts failed mails, whose numbers are their ids, each with so many bytes. */
const insert = (count: number, bytes: number) =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into mail select i, i, '', '', ${'x'.repeat(bytes)}, '', 0, 0, 0, '', 'failed' from n where i <= ${count}`.execute(
    db.writer,
  );

async function removeAll(stopping?: AbortSignal): Promise<number[]> {
  const pieces: number[] = [];
  const work = processRowsInChunks(
    db,
    (trx) => trx.selectFrom('mail').select(['id', selectByteSize('values_sealed', 'language')]),
    async (trx, mails) => {
      pieces.push(mails.length);
      await trx.deleteFrom('mail').where('id', 'in', pluckIds(mails)).execute();
    },
    stopping,
  );
  expect(await advanceWhile(machine, 1, work)).toBe(pieces.reduce((sum, rows) => sum + rows, 0));
  return pieces;
}

describe('rows in pieces', () => {
  test.each([
    ['no row', 0, 0, []],
    ['a few rows', 3, 10, [3]],
    ['more rows than a piece has', CHUNK_ROWS * 2 + 1, 10, [CHUNK_ROWS, CHUNK_ROWS, 1]],
    ['exactly a piece', CHUNK_ROWS, 10, [CHUNK_ROWS]],
    ['rows with many bytes', 5, CHUNK_BYTES / 2, [2, 2, 1]],
    ['rows with more bytes than a piece has', 3, CHUNK_BYTES + 1, [1, 1, 1]],
  ])('are handled once each: %s', async (_what, count, bytes, expected) => {
    await insert(count, bytes);
    expect(await removeAll()).toEqual(expected);
    expect(await db.writer.selectFrom('mail').select('id').execute()).toEqual([]);
  });

  test('pause after each piece but the last', async () => {
    await insert(CHUNK_ROWS + 1, 10);
    const state = { isDone: false };
    const work = removeAllWithoutTime().then(() => {
      state.isDone = true;
    });
    await expect.poll(left).toBe(1);
    expect(state.isDone).toBe(false);
    machine.advance(0.02);
    await work;
    expect(await left()).toBe(0);
  });

  test('leave the rest for the next call when they are stopped', async () => {
    await insert(CHUNK_ROWS * 3, 10);
    const stopping = new AbortController();
    const work = removeAllWithoutTime(stopping.signal);
    const failed = expect(work).rejects.toThrow('stop');
    await expect.poll(left).toBe(CHUNK_ROWS * 2);
    stopping.abort(new Error('stop'));
    await failed;
    expect(await left()).toBe(CHUNK_ROWS * 2);
    expect(await removeAll()).toEqual([CHUNK_ROWS, CHUNK_ROWS]);
  });

  test('keep the rows of a piece that fails', async () => {
    await insert(3, 10);
    const work = processRowsInChunks(
      db,
      (trx) => trx.selectFrom('mail').select('id'),
      async (trx, mails) => {
        await trx.deleteFrom('mail').where('id', 'in', pluckIds(mails)).execute();
        throw new Error('after all');
      },
    );
    await expect(work).rejects.toThrow('after all');
    expect(await left()).toBe(3);
  });
});

const left = async () => (await db.writer.selectFrom('mail').select('id').execute()).length;
const removeAllWithoutTime = (stopping?: AbortSignal) =>
  processRowsInChunks(
    db,
    (trx) => trx.selectFrom('mail').select('id'),
    (trx, mails) => trx.deleteFrom('mail').where('id', 'in', pluckIds(mails)).execute(),
    stopping,
  );

test('no piece is done when the work is stopped before it begins', async () => {
  const work = runInChunks(machine, () => Promise.reject(new Error('a piece')), AbortSignal.abort(new Error('stop')));
  await expect(work).rejects.toThrow('stop');
});

test('a row is found by a key of several columns, of texts and numbers', async () => {
  const row = { batch_id: 'a', line: 7, request_id: 'r', is_error: 0 as const };
  const others = [
    { ...row, line: 8 },
    { ...row, batch_id: '7' },
  ];
  await db.writer
    .insertInto('batch_line')
    .values([row, ...others])
    .execute();
  const found = await db.writer
    .selectFrom('batch_line')
    .select(['batch_id', 'line'])
    .where(matchesAnyKey(['batch_id', 'line'], [row, { ...row, line: 9 }]))
    .execute();
  expect(found).toEqual([{ batch_id: 'a', line: 7 }]);
});

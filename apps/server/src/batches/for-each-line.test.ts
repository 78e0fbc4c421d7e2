import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import { createFile, newBatchId } from './batch-files.ts';
import { readUnansweredLines } from './for-each-line.ts';

const app = await useFeatureApp([]);
const LINES = 1_000;
const BATCH = 'batch_of-many-lines';

/** Counts the rows that each query returns. */
function countRows(): { plugin: KyselyPlugin; counts: number[] } {
  const counts: number[] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      counts.push(result.rows.length);
      return result;
    },
  };
  return { plugin, counts };
}

test('a batch of many lines reads few of its earlier requests at a time', async () => {
  const id = newBatchId('file-');
  const file = await createFile(app.ctx, id);
  // Every tenth line is empty.
  for (let line = 1; line <= LINES; line += 1) await file.write(line % 10 === 0 ? '\n' : '{}\n');
  await file.close();
  const rows = Array.from({ length: LINES }, (_, nth) => ({
    batch_id: BATCH,
    line: nth + 1,
    request_id: `request-${nth + 1}`,
    is_error: 0 as const,
    output: nth % 2 === 0 ? '{}' : null,
  }));
  for (let from = 0; from < LINES - 100; from += 100)
    await app.ctx.db.writer
      .insertInto('batch_line')
      .values(rows.slice(from, from + 100))
      .execute();
  const { plugin, counts } = countRows();
  const db = { ...app.ctx.db, writer: app.ctx.db.writer.withPlugin(plugin) };
  const found: [number, string | undefined][] = [];
  for await (const { line, requestId } of readUnansweredLines({ ...app.ctx, db }, { id: BATCH, input_file_id: id }))
    found.push([line.number, requestId]);
  const numbers = rows.map(({ line }) => line).filter((line) => line % 10 !== 0);
  // The last hundred lines were never requested.
  const unanswered = numbers.filter((line) => line % 2 === 0 || line > LINES - 100);
  expect(found).toEqual(unanswered.map((line) => [line, line > LINES - 100 ? undefined : `request-${line}`]));
  expect(Math.max(...counts)).toBeLessThanOrEqual(200);
});

import type { UserId } from '@switchyard/contract/ids';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isOnPostgres } from '../../../../tests/test-database.ts';
import { type FeatureApp, startFeatureApp } from '../testing/start-feature-app.ts';
import { getRemainingFileBytes } from './batch-files.ts';
import { countBatches } from './batch-store.ts';

const FILES_MAX = 10_000;
const FAR = 4_102_444_800;

let app: FeatureApp;
let userId: UserId;
beforeAll(async () => {
  app = await startFeatureApp([]);
});
afterAll(() => app.close());
beforeEach(async () => {
  userId = (await app.createUser('user')).id;
});

async function addFiles(owner: number, count: number): Promise<void> {
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into batch_file select 'file-' || ${owner} || '-' || i, ${owner}, null, 'batch', 'a', 1, i, ${FAR} from n`.execute(
    app.ctx.db.writer,
  );
}

const room = () => getRemainingFileBytes(app.ctx.db.writer, app.ctx, userId);

test('the files of a user are bounded in number, however small they are', async () => {
  await addFiles(userId, FILES_MAX - 1);
  expect(await room()).toBeGreaterThan(0);
  await addFiles((await app.createUser('user')).id, 1);
  await sql`insert into batch_file values (${`last-${userId}`}, ${userId}, null, 'batch', 'a', 1, 1, ${FAR})`.execute(
    app.ctx.db.writer,
  );
  await expect(room()).rejects.toThrow('limit of 10000 files');
});

test('counts a user’s files from an index, without reading each row', async ({ skip }) => {
  if (isOnPostgres) return skip('Whether PostgreSQL reads an index alone depends on its statistics');
  const plans: string[] = [];
  for (const table of [
    sql`sum(bytes), count(*) from batch_file`,
    sql`count(*) filter (where ended_at is null), count(*) from batch`,
  ]) {
    const { rows } = await sql<{
      detail: string;
    }>`explain query plan select ${table} where user_id = ${userId}`.execute(app.ctx.db.writer);
    plans.push(...rows.map(({ detail }) => detail));
  }
  expect(plans).toEqual([
    expect.stringContaining('COVERING INDEX batch_file_user'),
    expect.stringContaining('COVERING INDEX batch_user'),
  ]);
  expect(await countBatches(app.ctx.db.writer, userId)).toEqual({ open: 0, kept: 0 });
});

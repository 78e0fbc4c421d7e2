import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importIntoApp } from '../../testing/import-into-app.ts';
import { type SourceRows, writeSqliteSource } from '../../testing/source-database.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-codes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const app = await useFeatureApp([]);

async function bring(rows: SourceRows): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, 'new-api', rows);
  const report = await importIntoApp(app, file, 'new-api');
  return report.lines().join('\n');
}

const REDEEMED_AT = 1_700_000_500;

test('a code that was redeemed in the source since the last import cannot be redeemed here, too', async () => {
  const user = (id: number, username: string) => ({ id, username, status: 1, role: 1, quota: 500 });
  const code = (id: number, fields: object = {}) => ({
    id,
    user_id: 2,
    key: String(id).repeat(32),
    status: 1,
    name: 'spring',
    quota: 500,
    ...fields,
  });
  const rows = () =>
    app.ctx.db.writer
      .selectFrom('redemption_code')
      .select(['status', 'redeemed_time', 'redeemed_by'])
      .orderBy('id')
      .execute();
  const unused = { status: 'enabled', redeemed_time: 0, redeemed_by: null };
  await bring({ users: [user(2, 'alice')], redemptions: [code(1), code(2)] });
  expect(await rows()).toEqual([unused, unused]);
  const users = [user(2, 'alice'), user(3, 'bobby')];
  const redeemed = code(1, { status: 3, used_user_id: 3, redeemed_time: REDEEMED_AT });
  const remark = 'redeemed in the source since the last import';
  expect(await bring({ users, redemptions: [redeemed, code(2)] })).toContain(remark);
  expect(await rows()).toEqual([{ status: 'used', redeemed_time: REDEEMED_AT, redeemed_by: 3 }, unused]);
  expect(await bring({ users, redemptions: [redeemed, code(2)] })).not.toContain(remark);

  const redeemedHere = { status: 'used', redeemed_time: REDEEMED_AT + 60, redeemed_by: 2 } as const;
  await app.ctx.db.writer.updateTable('redemption_code').set(redeemedHere).where('status', '=', 'enabled').execute();
  const redeemedThere = code(2, { status: 3, used_user_id: 3, redeemed_time: REDEEMED_AT });
  expect(await bring({ users, redemptions: [redeemed, redeemedThere] })).toMatch(/credited twice: 2$/m);
  expect((await rows())[1]).toEqual(redeemedHere);
});

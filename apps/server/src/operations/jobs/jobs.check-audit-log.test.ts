import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { useTestApp } from '../../testing/start-test-app.ts';
import { checkAuditLog } from './jobs.ts';

const app = await useTestApp();
await app.createUser('root');
await app.createUser('user');

async function complaints(): Promise<unknown[]> {
  const reported: unknown[] = [];
  const log = { ...silentLog, error: (...parts: unknown[]) => void reported.push(parts) };
  await checkAuditLog({ ...app.ctx, log }).catch((error: unknown) => reported.push(error));
  return reported;
}

test('reports nothing for an intact audit log, and names the entry that was changed', async () => {
  expect(await complaints()).toEqual([]);
  const { writer, engine } = app.ctx.db;
  const table = engine.kind === 'postgres' ? sql`on audit_entry` : sql``;
  await sql`drop trigger audit_entry_no_update ${table}`.execute(writer);
  await writer.updateTable('audit_entry').set({ action: '' }).where('id', '=', 2).execute();
  expect(await complaints()).toEqual([
    [{ entries: 2, broken_id: 2 }, expect.stringContaining('audit log')],
    new Error('Entry 2 of the audit log was modified outside of this server'),
  ]);
});

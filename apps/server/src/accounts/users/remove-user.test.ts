import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { claimKey, relayScope, storeIdempotentResponse } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { measureLongestBlock, measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { removeAccount, requireUser } from './users.ts';

const app = await useFeatureApp([serveRoutes(apiKeys, apiKeyRoutes), serveRoutes(profile, profileRoutes)]);
const { writer } = app.ctx.db;

/** Tables whose rows of a user are deleted with the account. */
const removed = [
  'access_token',
  'avatar',
  'batch',
  'batch_file',
  'conversation',
  'delivery',
  'destination',
  'idempotency_key',
  'idempotency_usage',
  'identity',
  'known_device',
  'notice_seen',
  'one_time',
  'passkey',
  'recovery_code',
  'saved_view',
  'session',
  'stored_response',
  'totp',
];

/** Tables whose rows stay, and why. */
const kept = {
  api_key: 'records name the key; its text is erased and it is disabled',
  audit_entry: 'the log is append-only',
  channel_event: 'history of a channel',
  hold: 'a running request is settled',
  ledger_alarm: 'ledger',
  ledger_entry: 'ledger',
  order_event: 'history of an order',
  payment_order: 'proof of payments',
  statement: 'proof of charges',
  stored_work: 'a job deletes the artifacts in their store first',
  task: 'a running task is emptied, and charged or released',
  usage_day: 'records without personal content',
  usage_hour: 'records without personal content',
  usage_record: 'records without personal content',
  user_account: 'ledger',
};

test('every table with a user is known to be cleared with the account, or to stay for a reason', async () => {
  const tables = await writer.introspection.getTables();
  const ofUsers = tables
    .filter(
      ({ name, columns }) => !name.startsWith('usage_record_') && columns.some((column) => column.name === 'user_id'),
    )
    .map(({ name }) => name);
  expect(ofUsers.toSorted()).toEqual([...removed, ...Object.keys(kept)].toSorted());
});

const countRows = async (table: string, userId: number): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where user_id = ${userId}`.execute(writer);
  return Number(rows[0]?.n);
};

/** Gives the user a saved view, a dismissed notification, and idempotency keys of the console and of a deleted API key. */
async function fillTables(user: SignedInUser): Promise<void> {
  const now = nowSeconds(app.clock);
  await writer
    .insertInto('saved_view')
    .values({ user_id: user.id, name: 'Mine', search: 'a=1', created_time: now })
    .execute();
  await writer
    .insertInto('notice_seen')
    .values({ user_id: user.id, kind: 'low-balance', mark: '1', seen_time: now })
    .execute();
  const { id } = await user.api(apiKeys).create({ body: { name: 'key' } });
  await user.api(apiKeys).remove({ params: { id } });
  for (const scope of [relayScope(user.id, id), relayScope(user.id, undefined), `console ${user.id}`])
    for (const key of ['with-response', 'without']) {
      const use = { userId: user.id, scope, key, fingerprint: 'f', requestId: `${scope} ${key}` };
      await claimKey(writer, use, now);
      const response = { status: 200, contentType: 'text/plain', body: Buffer.from('a personal answer') };
      if (key === 'with-response') await storeIdempotentResponse(writer, use, response);
    }
}

test('deletes the user’s rows and no other user’s', async () => {
  const [user, other] = [await app.createUser('user'), await app.createUser('user')];
  for (const who of [user, other]) await fillTables(who);
  await user.api(profile).stepUp({ body: { password: user.password } });
  await user.api(profile).remove();
  for (const table of removed) expect({ table, rows: await countRows(table, user.id) }).toEqual({ table, rows: 0 });
  for (const table of ['saved_view', 'notice_seen', 'idempotency_usage', 'session'])
    expect({ table, rows: await countRows(table, other.id) }).toEqual({ table, rows: 1 });
  expect(await countRows('idempotency_key', other.id)).toBe(6);
});

/** Adds as many API keys as a user can create and delete in a day, and live ones for several chunks. */
async function addApiKeys(userId: number, deleted: number, live: number): Promise<void> {
  const values = (nth: number, deletedTime: number | null) => ({
    user_id: userId,
    name: 'many',
    key_hash: `${userId} ${nth}`,
    key_hint: '',
    key_sealed: deletedTime === null ? 'a text' : '',
    status: deletedTime === null ? ('enabled' as const) : ('disabled' as const),
    created_time: 1,
    accessed_time: 0,
    expired_time: -1,
    unlimited_quota: 0,
    group_symbol: '',
    backup_group: '',
    api_rate: 0,
    ratio_micros: 1_000_000,
    setting: '{}',
    deleted_time: deletedTime,
  });
  for (let first = 0; first < deleted + live; first += 500) {
    const rows = Array.from({ length: 500 }, (_, nth) => values(first + nth, first < deleted ? 1 : null));
    await writer.insertInto('api_key').values(rows).execute();
  }
}

test('creates API keys and deletes the account of a user with many deleted ones in short turns', async () => {
  await setOptions(app.ctx, { TokensPerUser: '5000' });
  const published: (readonly number[])[] = [];
  app.ctx.changes.subscribe((change) => {
    if (change.topic === 'api-keys') published.push(change.ids ?? []);
  });
  let [created, ended] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Compilation and garbage collection only add to what the work itself takes.
  for (let round = 0; round < 3 && (created >= 10 || ended >= 50); round += 1) {
    const user = await app.createUser('user');
    await addApiKeys(user.id, 50_000, 1_000);
    const create = () => user.api(apiKeys).create({ body: { name: 'another' } });
    created = await measureLongestBlockRepeatedly(create);
    const row = await requireUser(app.ctx, user.id);
    published.length = 0;
    ended = await measureLongestBlock(() => advanceWhile(app.clock, 0.02, removeAccount(app.ctx, row)));
    const keys = writer.selectFrom('api_key').select('id').where('user_id', '=', user.id);
    const live = await keys.where('deleted_time', 'is', null).execute();
    expect(published.flat().toSorted((a, b) => a - b)).toEqual(live.map(({ id }) => id));
    expect(await keys.where('key_sealed', '<>', '').execute()).toEqual([]);
    expect(await keys.where('status', '<>', 'disabled').execute()).toEqual([]);
  }
  expect(created).toBeLessThan(10);
  expect(ended).toBeLessThan(50);
});

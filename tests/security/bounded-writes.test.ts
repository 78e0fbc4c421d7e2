/**
 * No statement of the server deletes or changes an unbounded number of rows. SQLite would execute it in the thread of
 * the event loop and block all requests: `rowsInPieces` and `inPieces` (db/process-in-chunks.ts) pause between pieces.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/db/open-database.ts';
import { getSqliteEngine } from '../../apps/server/src/testing/any-table.ts';
import { readProductSources } from './walk-sources.ts';
import { listWriteStatements, type WriteStatement } from './write-statements.ts';

const OF_USER = 'rows of one user, of which there are few:';
/** Statements without a unique key or pieces, and what bounds their rows. */
const bounded: Readonly<Record<string, string>> = {
  'accounts/access-tokens/access-tokens.ts: delete access_token': `${OF_USER} 50 tokens`,
  'accounts/api-keys/api-keys.ts: update api_key': `${OF_USER} at most a chunk of them at once, and deleted ones never`,
  'accounts/one-time-secrets/one-time-secrets.ts: delete one_time':
    'a few secrets of one browser, user or value, of which the oldest give way to new ones',
  'accounts/one-time-secrets/one-time-secrets.ts: update one_time': 'secrets of one browser',
  'accounts/second-factor/second-factor.ts: delete recovery_code': `${OF_USER} ten codes`,
  'accounts/second-factor/second-factor.ts: delete (variable)': `${OF_USER} a second factor and its codes`,
  'accounts/authentication/session-store.ts: delete session': `${OF_USER} what exceeds 100 sessions, in pieces of sign-ins`,
  'accounts/set-up/set-up.ts: delete one_time': 'the set-up link',
  'accounts/authentication/known-devices.ts: delete known_device': `${OF_USER} 50 devices`,
  'accounts/users/remove-user.ts: delete (variable)':
    'what is left of a user after the pieces that come first, in the transaction that ends the account',
  'batches/batch-retention.ts: delete batch': 'open batches of a user, whose ended ones went in pieces before',
  'batches/batch-retention.ts: delete batch_file': 'files of open batches of a user; the others went before',
  'billing/orders/refund-bookkeeping.ts: update order_refund': 'refunds of one order',
  'catalog/catalog-updates/catalog-updates.ts: delete price': 'prices of one price list',
  'catalog/catalog-updates/stored-price-list.ts: delete catalogue_list': 'a few kept price lists',
  'catalog/catalog-updates/stored-price-list.ts: update catalogue_list': 'the scheduled price list',
  'catalog/prices/prices.ts: delete price': 'prices that one request of staff names',
  'channels/registry/channel-keys.ts: delete channel_key_state': 'states of the keys of one channel',
  'channels/registry/registry.ts: delete channel_key_state': 'states of the keys of removed channels',
  'channels/registry/registry.ts: update channel': 'channels of the site, which staff enters',
  'channels/registry/write-channel-updates.ts: update channel': 'as many channels as are written in a turn',
  'db/copy-between-engines.ts: sql delete (variable)': 'the command that copies a database, in a process of its own',
  'db/copy-between-engines.ts: sql update sqlite_sequence':
    'the command that copies a database, in a process of its own',
  'db/remove-premature-rollups.ts: sql delete (variable)': 'hours and days that a clock that was ahead summed up',
  'ledger/reassign-holds-after-copy.ts: delete node': 'the command that copies a database, in a process of its own',
  'ledger/reassign-holds-after-copy.ts: update hold': 'the command that copies a database, in a process of its own',
  'ledger/verify/discrepancies.ts: update ledger_alarm': `${OF_USER} discrepancies of the ledger`,
  'operations/notifications/notification-targets.ts: update delivery': 'what waits for one destination',
  'operations/notifications/schedule-next-delivery.ts: update delivery': 'the first delivery of a queue',
  'operations/content-safety/content-safety.ts: delete safety_day': 'days of one rule',
  'operations/data-keys/reencrypt-sealed-columns.ts: sql update (variable)': 'the row whose key is given',
  'operations/jobs/reset-future-due-times.ts: sql update (variable)':
    'rows that were written while the clock was ahead',
  'operations/system-info/channel-host-certificates.ts: delete host_certificate': 'hosts of the site',
  'operations/telegram/bot-webhook.ts: delete telegram_webhook': 'a table of one row',
  'stored-responses/stored-responses.ts: sql delete stored_response':
    'about 2 MB of one user, which is looked for once in as many bytes',
  'tasks/task-retention.ts: delete task': 'tasks of a user that ended since the pieces that come first',
  'tasks/task-retention.ts: update task': 'open tasks of a user, which are limited',
  'tasks/task-store.ts: update task': 'as many due tasks as are claimed at once',
  'tasks/tasks.ts: update task': 'open tasks of one name at a vendor',
  'usage/usage-records/day-rollups.ts: delete summarised_day': 'a row for each day',
};

const ofCommands = /^apps\/server\/src\/(?:tools|db\/migrations)\//;
const statements = readProductSources()
  .filter(({ file }) => file.startsWith('apps/server/src/') && !ofCommands.test(file))
  .flatMap(listWriteStatements);

const folder = mkdtempSync(join(tmpdir(), 'switchyard-writes-'));
/** Columns of each unique key, by table. */
const keys = new Map<string, string[][]>();
beforeAll(async () => {
  const db = await openDatabase(join(folder, 'switchyard.db'));
  const { connection } = getSqliteEngine(db);
  const read = connection.prepare(`
    select t.name as "table", 'primary' as key, c.name as "column"
    from pragma_table_list t, pragma_table_info(t.name) c where c.pk > 0
    union all
    select t.name, i.name, c.name from pragma_table_list t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
    where i."unique" = 1 and i.partial = 0`);
  const columns = read.all().map(({ table, key, column }) => ({ table: String(table), key, column: String(column) }));
  for (const [table, ofTable] of Map.groupBy(columns, (row) => row.table))
    keys.set(
      table,
      [...Map.groupBy(ofTable, ({ key }) => key).values()].map((rows) => rows.map(({ column }) => column)),
    );
  await db.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const namesKey = ({ table, equal }: WriteStatement): boolean =>
  keys.get(table)?.some((key) => key.every((column) => equal.has(column))) === true;

test('the walk finds the statements', () => {
  expect(statements.length).toBeGreaterThan(150);
  expect(statements.filter(namesKey).length).toBeGreaterThan(80);
  expect(statements.filter(({ isChunked }) => isChunked).length).toBeGreaterThan(15);
});

test('each statement that deletes or changes rows uses a unique key or pieces, or is bounded for a reason', () => {
  const others = statements.filter((statement) => !statement.isChunked && !namesKey(statement));
  const found = new Set(others.map(({ file, what }) => `${file.replace('apps/server/src/', '')}: ${what}`));
  expect([...found].toSorted()).toEqual(Object.keys(bounded).toSorted());
});

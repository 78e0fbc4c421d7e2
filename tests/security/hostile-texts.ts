/** Writes texts into every field that the console shows. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { modelDetail } from '@switchyard/contract/catalog/model-details';
import { channelId } from '@switchyard/contract/ids';
import { appendEntry } from '../../apps/server/src/operations/audit/audit.ts';
import { type AnyRow, insertRow, readRows } from '../../apps/server/src/testing/any-table.ts';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import type { RelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { sampleContent } from '../../apps/server/src/testing/sample-conversation.ts';
import { payloads } from './payloads.ts';

/** Columns with a name or a text, by table. */
const shownColumns: Readonly<Record<string, readonly string[]>> = {
  user: ['username', 'display_name', 'email', 'avatar_url', 'last_login_ip'],
  api_key: ['name', 'key_hint'],
  channel: ['name', 'tag', 'test_model', 'disabled_reason', 'base_url'],
  user_group: ['name', 'symbol'],
  staff_role: ['name'],
  passkey: ['alias'],
  identity: ['label', 'subject', 'provider'],
  session: ['device', 'address'],
  access_token: ['name', 'hint'],
  mail: ['last_error', 'recipient'],
  price: ['model'],
  model_owner: ['name'],
  conversation: ['title'],
  saved_view: ['name'],
  delivery: ['destination_name', 'title', 'text', 'last_answer'],
  telegram_menu: ['command', 'description', 'reply_message'],
  safety_rule: ['name'],
  task: ['action', 'model', 'prompt', 'failure', 'group_symbol', 'upstream_id'],
};
/** Columns that hold a JSON list of names. */
const listColumns: Readonly<Record<string, readonly string[]>> = { channel: ['models', 'groups'] };
/** JSON columns of calls, audit entries, model descriptions and artifacts. */
export const plantedFieldCount = [...Object.values(shownColumns), ...Object.values(listColumns)].flat().length + 15;
/**
 * Limits of columns whose other values the management API could not return, so that nothing of the table would show.
 */
const fieldPatterns: Readonly<Record<string, RegExp>> = {
  'channel.name': /^.{1,64}$/s,
  'channel.tag': /^.{1,32}$/s,
  'channel.test_model': /^.{1,128}$/s,
  'channel.models': /^[^*,]{1,128}$/,
  'channel.groups': /^.{1,32}$/s,
  'staff_role.name': /^.{1,64}$/s,
  'safety_rule.name': /^.{1,60}$/s,
};
/** Tables that have a row for each row of another table. */
const dependentTables: Readonly<Record<string, readonly [table: string, column: string]>> = {
  user: ['user_account', 'user_id'],
  api_key: ['key_account', 'api_key_id'],
};
/** Columns whose values must differ. */
const uniqueColumns = /^(?:\w+_hash|credential_id|request_id)$/;

/**
 * Writes one row of each table for each text, directly into the tables, to bypass rules that would refuse some texts.
 */
export async function plantTexts(scene: RelayScene, texts: readonly string[]): Promise<void> {
  await insertTemplateRows(scene);
  for (const [table, columns] of Object.entries(shownColumns)) await copyRow(scene, table, columns, texts);
  // Like the report of an identity provider.
  await scene.ctx.db.writer
    .updateTable('user')
    .set((eb) => ({ avatar_url: eb(eb.val('https://evil.example/'), '||', eb.ref('avatar_url')) }))
    .where('id', 'not in', [scene.user.id, scene.admin.id])
    .execute();
  for (const { id, prompt } of await scene.ctx.db.writer.selectFrom('task').select(['id', 'prompt']).execute())
    await scene.ctx.db.writer
      .updateTable('task')
      .set({
        news: JSON.stringify({ works: [{ kind: 'text', text: prompt, title: prompt }], said: { promptEn: prompt } }),
      })
      .where('id', '=', id)
      .execute();
  const calls = texts.map((text) => ({ model: text, content: text, address: text, group_symbol: text }));
  await insertUsageRecords(scene.ctx, scene.user.id, calls);
  const failed = calls.map((call) => ({ ...call, type: 'error' as const, quota: 0 }));
  await insertUsageRecords(scene.ctx, scene.user.id, failed);
  // Values are validated when read, so that only what the contract allows can be stored.
  const takes = (detail: object) => modelDetail.safeParse({ model: 'one', ...detail }).success;
  const described = texts.map((text, index) => {
    const facts = { name: text, description: text, tags: [text.slice(0, 24)], successor: text };
    const taken = Object.entries(facts).filter(([field, value]) => takes({ [field]: value }));
    const model = takes({ model: text }) ? text : `described-${index}`;
    return { model, facts: JSON.stringify(Object.fromEntries(taken)) };
  });
  if (!described.some(({ facts }) => facts.includes('description'))) throw new Error('nothing was let through');
  await scene.ctx.db.writer
    .insertInto('model_detail')
    .values(described)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await scene.ctx.db.writer.transaction().execute(async (trx) => {
    for (const text of texts)
      await appendEntry(trx, scene.ctx.vault, {
        created_at: 1,
        user_id: scene.user.id,
        action: 'users.update',
        target: text,
        detail: JSON.stringify({ text, changes: { [text]: { before: text, after: text } } }),
        address: text,
        request_id: text,
      });
  });
}

/** Rows to be copied, one of each table. */
async function insertTemplateRows({ ctx, user }: RelayScene): Promise<void> {
  await user.api(accessTokens).create({ body: { name: 'one', scopes: ['user'], expires_time: 0 } });
  const { writer } = ctx.db;
  const passkey = { credential_id: 'a', public_key: 'a', counter: 0, transports: '[]', rp_id: 'localhost' };
  await writer
    .insertInto('passkey')
    .values({ ...passkey, user_id: user.id, alias: 'one', created_time: 1, last_used_time: 0 })
    .execute();
  await writer
    .insertInto('identity')
    .values({ provider: 'github', issuer: 'x', subject: '1', user_id: user.id, label: 'one', created_time: 1 })
    .execute();
  await writer
    .insertInto('mail')
    .values({
      id: 'one',
      created_time: 1,
      recipient: 'a@example.org',
      template: 'smtp-test',
      values_sealed: '',
      language: 'en_US',
      tries: 9,
      next_try_time: 0,
      expires_time: 1,
      last_error: 'one',
      state: 'failed',
    })
    .execute();
  await writer.insertInto('model_owner').values({ id: 5001, name: 'one', icon: '' }).execute();
  const kept = { user_id: user.id, created_time: 1, updated_time: 1, version: 1 };
  await writer
    .insertInto('conversation')
    .values({ ...kept, title: 'one', content: JSON.stringify(sampleContent('one')) })
    .execute();
  await writer
    .insertInto('saved_view')
    .values({ user_id: user.id, name: 'one', search: 'by=model', created_time: 1 })
    .execute();
  await insertTaskTemplateRows(ctx, user.id);
}

async function insertTaskTemplateRows({ db: { writer } }: RelayScene['ctx'], user_id: number): Promise<void> {
  const ended = { created_time: 1, next_try_time: null, ended_time: 1, tries: 1 };
  await writer
    .insertInto('delivery')
    .values({
      ...ended,
      lane: 'one',
      destination_id: null,
      user_id,
      event: 'low-balance',
      type: 'slack',
      destination_name: 'one',
      title: 'one',
      text: 'one',
      link: '',
      state: 'failed',
      last_answer: 'one',
    })
    .execute();
  const menu = { command: 'one', description: 'one', reply_message: 'one', enabled: 1, position: 1 };
  await writer
    .insertInto('telegram_menu')
    .values({ ...menu, parse_mode: 'text' })
    .execute();
  await writer
    .insertInto('safety_rule')
    .values({
      name: 'one',
      enabled: 0,
      kind: 'words',
      action: 'flag',
      groups: '[]',
      input: 1,
      output: 0,
      words: 'one',
      model: '',
      url: '',
      secret_sealed: '',
      thresholds: '{}',
      timeout_ms: 1_000,
      on_failure: 'pass',
    })
    .execute();
  await writer
    .insertInto('task')
    .values({
      id: 'one',
      request_id: 'one',
      user_id,
      api_key_id: null,
      channel_id: 1,
      channel_key_id: '',
      group_symbol: 'default',
      client_format: 'midjourney',
      upstream_format: 'midjourney',
      upstream_id: '1',
      origin_id: null,
      action: 'imagine',
      model: 'one',
      upstream_model: 'one',
      status: 'failed',
      progress: 0,
      prompt: 'one',
      request: '{}',
      news: '{"works":[],"said":{}}',
      failure: 'one',
      expected: 1,
      charge: 0,
      terms: '{}',
      notify_url: '',
      notify_at: null,
      notify_tries: 0,
      notify_site: '',
      created_at: 1,
      started_at: null,
      ended_at: 1,
      deadline_at: 1,
      next_look_at: 1,
      failed_looks: 0,
    })
    .execute();
}

/** Numbers a text, so that no two are the same; replaces one that the rule excludes. */
function numberText(text: string, index: number, rule = /^/): string {
  const numbered = (one: string) => `${one} ${index}`;
  if (rule.test(numbered(text))) return numbered(text);
  const fitting = payloads.map(numbered).filter((one) => rule.test(one));
  return fitting[index % fitting.length] ?? '';
}

/** Encrypts again, because an encrypted value can be decrypted in its own row only. */
async function resealRow({ db, vault }: RelayScene['ctx'], id: number): Promise<void> {
  await db.writer
    .updateTable('channel')
    .set({ key_sealed: vault.seal('channel-key', `channel:${id}`, 'one') })
    .where('id', '=', channelId.parse(id))
    .execute();
}

async function copyRow(
  { ctx, user }: RelayScene,
  table: string,
  columns: readonly string[],
  texts: readonly string[],
): Promise<void> {
  const { db } = ctx;
  const one = async (name: string) => {
    const own = await readRows(db, name);
    return own.find((row) => row['user_id'] === user.id) ?? own[0];
  };
  const first = await one(table);
  if (first === undefined) throw new Error(`There is no ${table} to copy`);
  const { id, ...row } = first;
  const beside = dependentTables[table];
  const account = beside === undefined ? undefined : await one(beside[0]);
  for (const [index, text] of texts.entries()) {
    const copy: AnyRow = { ...row, ...(typeof id === 'string' ? { id: `${id}-${index}` } : {}) };
    for (const column of Object.keys(row))
      if (uniqueColumns.test(column) && row[column] !== null) copy[column] = `${column}-${index}`;
    const own = (column: string) => numberText(text, index, fieldPatterns[`${table}.${column}`]);
    for (const column of columns) copy[column] = own(column);
    for (const column of listColumns[table] ?? []) copy[column] = JSON.stringify([own(column)]);
    const added = await insertRow(db, table, copy);
    if (table === 'channel') await resealRow(ctx, Number(added['id']));
    if (beside !== undefined) await insertRow(db, beside[0], { ...account, [beside[1]]: added['id'] ?? null });
  }
}

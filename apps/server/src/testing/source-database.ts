/** Creates databases of other products with their documented tables, for tests of imports. */
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely, sql } from 'kysely';
import { createExecute } from '../db/sqlite/execute.ts';
import { createSqliteDialect } from '../db/sqlite/sqlite-dialect.ts';
import type { ProductName } from '../tools/importers/importers.ts';

type Type = 'id' | 'int' | 'text' | 'bool' | 'date' | 'json' | 'decimal';
export type Engine = 'sqlite' | 'postgres' | 'mysql';

/** Type names of each engine's ORM driver. */
const typeNames: Readonly<Record<Engine, Readonly<Record<Type, string>>>> = {
  sqlite: {
    id: 'integer primary key autoincrement',
    int: 'integer',
    text: 'text',
    bool: 'numeric',
    date: 'datetime',
    json: 'json',
    decimal: 'decimal(10,2)',
  },
  postgres: {
    id: 'bigserial primary key',
    int: 'bigint',
    text: 'text',
    bool: 'boolean',
    date: 'timestamptz',
    json: 'json',
    decimal: 'decimal(10,2)',
  },
  mysql: {
    id: 'bigint auto_increment primary key',
    int: 'bigint',
    text: 'longtext',
    bool: 'tinyint(1)',
    date: 'datetime(3)',
    json: 'json',
    decimal: 'decimal(10,2)',
  },
};

const columns = (type: Type, names: string): Record<string, Type> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]));

const users = {
  ...columns('id', 'id'),
  ...columns('text', 'username password display_name email github_id wechat_id lark_id access_token'),
  ...columns('int', 'role status quota used_quota request_count inviter_id'),
  ...columns('text', 'group aff_code'),
};
const tokens = {
  ...columns('id', 'id'),
  ...columns('int', 'user_id status created_time accessed_time expired_time remain_quota used_quota'),
  ...columns('text', 'key name'),
  ...columns('bool', 'unlimited_quota'),
};
const channels = {
  ...columns('id', 'id'),
  ...columns('int', 'type status weight created_time test_time response_time used_quota priority'),
  ...columns('text', 'key name base_url other models group model_mapping'),
};
const redemptions = {
  ...columns('id', 'id'),
  ...columns('int', 'user_id status quota created_time redeemed_time'),
  ...columns('text', 'key name'),
};
const logs = {
  ...columns('id', 'id'),
  ...columns('int', 'user_id created_at type quota prompt_tokens completion_tokens channel_id'),
  ...columns('text', 'content username token_name model_name'),
  ...columns('bool', 'is_stream'),
};
const options = columns('text', 'key value');
const deleted = columns('date', 'deleted_at');

const oneHub = {
  users: {
    ...users,
    ...columns('int', 'github_id_new telegram_id last_login_time created_time aff_quota'),
    ...columns('text', 'oidc_id last_login_ip'),
    ...deleted,
  },
  tokens: { ...tokens, ...columns('text', 'group backup_group'), ...columns('json', 'setting'), ...deleted },
  channels: {
    ...channels,
    ...columns('text', 'tag model_headers custom_parameter proxy test_model'),
    ...columns('bool', 'only_chat'),
    ...columns('int', 'pre_cost'),
    ...columns('json', 'plugin'),
    ...deleted,
  },
  user_groups: {
    ...columns('id', 'id'),
    ...columns('text', 'symbol name'),
    ...columns('decimal', 'ratio'),
    ...columns('int', 'api_rate min max'),
    ...columns('bool', 'public promotion enable'),
  },
  prices: {
    ...columns('text', 'model type input output'),
    ...columns('int', 'channel_type'),
    ...columns('bool', 'locked'),
    ...columns('json', 'extra_ratios'),
  },
  redemptions,
  orders: {
    ...columns('id', 'id'),
    ...columns('int', 'user_id gateway_id amount quota created_at'),
    ...columns('text', 'trade_no gateway_no order_currency status'),
    ...columns('decimal', 'order_amount fee discount'),
    ...deleted,
  },
  logs: { ...logs, ...columns('int', 'request_time'), ...columns('text', 'source_ip'), ...columns('json', 'metadata') },
  options,
};

const tablesOf: Readonly<Record<ProductName, Readonly<Record<string, Readonly<Record<string, Type>>>>>> = {
  'one-hub': oneHub,
  'done-hub': oneHub,
  'one-api': {
    users,
    tokens: { ...tokens, ...columns('text', 'models subnet') },
    channels: { ...channels, ...columns('text', 'config system_prompt') },
    redemptions,
    logs: { ...logs, ...columns('int', 'elapsed_time') },
    options,
  },
  'new-api': {
    users: {
      ...users,
      ...columns('text', 'oidc_id telegram_id setting'),
      ...columns('int', 'created_at last_login_at aff_quota'),
      ...deleted,
    },
    tokens: {
      ...tokens,
      ...columns('text', 'group model_limits allow_ips'),
      ...columns('bool', 'model_limits_enabled'),
      ...deleted,
    },
    channels: {
      ...channels,
      ...columns('text', 'tag setting openai_organization test_model'),
      ...columns('int', 'auto_ban'),
      ...columns('json', 'channel_info'),
    },
    redemptions: { ...redemptions, ...columns('int', 'used_user_id expired_time'), ...deleted },
    logs: { ...logs, ...columns('int', 'use_time token_id'), ...columns('text', 'group ip') },
    options,
  },
};

export type SourceRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

type AnyTables = Record<string, Record<string, unknown>>;

/** Creates the product's tables and inserts rows. */
export async function fillSource(
  dialect: Dialect,
  engine: Engine,
  product: ProductName,
  rows: SourceRows,
): Promise<void> {
  const db = new Kysely<AnyTables>({ dialect });
  for (const [name, definition] of Object.entries(tablesOf[product])) {
    let table = db.schema.createTable(name);
    for (const [column, type] of Object.entries(definition))
      table = table.addColumn(column, sql.raw(typeNames[engine][type]));
    await table.execute();
    for (const row of rows[name] ?? []) await db.insertInto(name).values(row).execute();
  }
  await db.destroy();
}

export async function writeSqliteSource(file: string, product: ProductName, rows: SourceRows): Promise<void> {
  const connection = new DatabaseSync(file);
  await fillSource(createSqliteDialect(createExecute(connection)), 'sqlite', product, rows);
  connection.close();
}

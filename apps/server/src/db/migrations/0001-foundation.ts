import { type Kysely, sql } from 'kysely';

/** Creates the tables of accounts, channels, prices, the ledger and usage records. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);

  await table('user')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('username', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('avatar_url', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('group_symbol', 'text', (c) => c.notNull())
    .addColumn('access_token_hash', 'text')
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('last_login_time', 'integer', (c) => c.notNull())
    .addColumn('last_login_ip', 'text', (c) => c.notNull())
    .addColumn('deleted_time', 'integer')
    .execute();
  await sql`create unique index user_username on "user" (lower(username))`.execute(db);
  await sql`create unique index user_access_token on "user" (access_token_hash) where access_token_hash is not null`.execute(
    db,
  );
  await sql`create index user_email on "user" (lower(email))`.execute(db);

  await table('session')
    .addColumn('id_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('last_seen_time', 'integer', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('device', 'text', (c) => c.notNull())
    .addColumn('stepped_up_until', 'integer', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('session_user').on('session').column('user_id').execute();

  await table('user_group')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('symbol', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('ratio_micros', 'integer', (c) => c.notNull())
    .addColumn('api_rate', 'integer', (c) => c.notNull())
    .addColumn('public', 'integer', (c) => c.notNull())
    .addColumn('enable', 'integer', (c) => c.notNull())
    .execute();

  await table('api_key')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('accessed_time', 'integer', (c) => c.notNull())
    .addColumn('expired_time', 'integer', (c) => c.notNull())
    .addColumn('unlimited_quota', 'integer', (c) => c.notNull())
    .addColumn('group_symbol', 'text', (c) => c.notNull())
    .addColumn('backup_group', 'text', (c) => c.notNull())
    .addColumn('api_rate', 'integer', (c) => c.notNull())
    .addColumn('setting', 'text', (c) => c.notNull())
    .addColumn('deleted_time', 'integer')
    .execute();
  await db.schema.createIndex('api_key_user').on('api_key').columns(['user_id', 'id']).execute();

  await table('channel')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('options', 'text', (c) => c.notNull())
    .addColumn('models', 'text', (c) => c.notNull())
    .addColumn('groups', 'text', (c) => c.notNull())
    .addColumn('tag', 'text', (c) => c.notNull())
    .addColumn('model_mapping', 'text', (c) => c.notNull())
    .addColumn('headers_sealed', 'text', (c) => c.notNull())
    .addColumn('proxy_sealed', 'text', (c) => c.notNull())
    .addColumn('test_model', 'text', (c) => c.notNull())
    .addColumn('priority', 'integer', (c) => c.notNull())
    .addColumn('weight', 'integer', (c) => c.notNull())
    .addColumn('only_chat', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('disabled_reason', 'text', (c) => c.notNull())
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('test_time', 'integer', (c) => c.notNull())
    .addColumn('response_time', 'integer', (c) => c.notNull())
    .addColumn('balance_micro_usd', 'integer')
    .addColumn('balance_updated_time', 'integer', (c) => c.notNull())
    .addColumn('deleted_time', 'integer')
    .execute();

  await table('price')
    .addColumn('model', 'text', (c) => c.primaryKey())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('channel_type', 'integer', (c) => c.notNull())
    .addColumn('input', 'integer', (c) => c.notNull())
    .addColumn('output', 'integer', (c) => c.notNull())
    .addColumn('rates', 'text', (c) => c.notNull())
    .addColumn('locked', 'integer', (c) => c.notNull())
    .execute();

  await table('setting')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();

  await table('audit_entry')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('user_id', 'integer')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .execute();

  await createLedgerTables(db);
}

async function createLedgerTables(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);

  await table('user_account')
    .addColumn('user_id', 'integer', (c) => c.primaryKey())
    .addColumn('balance', 'integer', (c) => c.notNull())
    .addColumn('held', 'integer', (c) => c.notNull().check(sql`held >= 0`))
    .addColumn('used', 'integer', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .execute();

  await table('key_account')
    .addColumn('api_key_id', 'integer', (c) => c.primaryKey())
    .addColumn('remaining', 'integer', (c) => c.notNull())
    .addColumn('held', 'integer', (c) => c.notNull().check(sql`held >= 0`))
    .addColumn('used', 'integer', (c) => c.notNull())
    .execute();

  await sql`create table ledger_entry (
    kind text not null,
    ref text not null,
    created_at integer not null,
    user_id integer not null,
    api_key_id integer,
    user_amount integer not null,
    key_amount integer not null,
    note text not null,
    primary key (kind, ref)
  ) without rowid`.execute(db);
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.raw(`ledger_entry_no_${change}`)} before ${sql.raw(change)} on ledger_entry
      begin select raise(abort, 'the ledger is append-only'); end`.execute(db);
    await sql`create trigger ${sql.raw(`audit_entry_no_${change}`)} before ${sql.raw(change)} on audit_entry
      begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
  }

  await sql`create table hold (
    request_id text primary key,
    user_id integer not null,
    api_key_id integer,
    amount integer not null check (amount >= 0),
    created_at integer not null
  ) without rowid`.execute(db);

  await table('usage_record')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull())
    .addColumn('api_key_id', 'integer')
    .addColumn('channel_id', 'integer')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('group_symbol', 'text', (c) => c.notNull())
    .addColumn('quota', 'integer', (c) => c.notNull())
    .addColumn('prompt_tokens', 'integer', (c) => c.notNull())
    .addColumn('completion_tokens', 'integer', (c) => c.notNull())
    .addColumn('cached_tokens', 'integer', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('first_byte_ms', 'integer', (c) => c.notNull())
    .addColumn('is_stream', 'integer', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('usage_source', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .execute();
  // Request ids and times both increase, so these indexes grow at their right edge only; the last one is nearly
  // empty.
  await db.schema.createIndex('usage_record_request').on('usage_record').column('request_id').execute();
  await db.schema.createIndex('usage_record_time').on('usage_record').column('created_at').execute();
  await db.schema.createIndex('usage_record_user').on('usage_record').columns(['user_id', 'created_at']).execute();
  await sql`create index usage_record_other on usage_record (created_at)
    where type not in ('consume', 'error')`.execute(db);

  await sql`create table usage_hour (
    hour integer not null,
    user_id integer not null,
    model text not null,
    channel_id integer not null,
    requests integer not null,
    errors integer not null,
    quota integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    duration_ms integer not null,
    primary key (hour, user_id, model, channel_id)
  ) without rowid`.execute(db);
  await db.schema.createIndex('usage_hour_user').on('usage_hour').columns(['user_id', 'hour']).execute();

  await table('channel_usage')
    .addColumn('channel_id', 'integer', (c) => c.primaryKey())
    .addColumn('used', 'integer', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .execute();
}

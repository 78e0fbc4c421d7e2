import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';

/**
 * Adds sign-in methods besides the password, second factors, one-time secrets, scoped access tokens, and staff roles.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await extendUsers(db);
  await createWaysIn(db);
  await createSecondFactors(db);
  await createAccessTokens(db);
}

async function extendUsers(db: Kysely<unknown>): Promise<void> {
  const add = (name: string, type: 'integer' | 'text', build = (c: ColumnDefinitionBuilder) => c) =>
    db.schema.alterTable('user').addColumn(name, type, build).execute();
  await add('email_verified_time', 'integer');
  await add('aff_code', 'text');
  await add('inviter_id', 'integer');
  await add('staff_role_id', 'integer');
  await add('language', 'text', (c) => c.notNull().defaultTo(''));
  await add('notices', 'text', (c) => c.notNull().defaultTo('{}'));
  await add('low_balance_told', 'integer', (c) => c.notNull().defaultTo(0));
  await add('role_since', 'integer', (c) => c.notNull().defaultTo(0));
  // Existing administrators get the whole grace period for a second factor.
  await sql`update "user" set role_since = unixepoch()`.execute(db);
  await sql`create unique index user_aff_code on "user" (aff_code) where aff_code is not null`.execute(db);

  await sql`alter table session add column method text not null default 'password'`.execute(db);

  await sql`create table avatar (
    user_id integer primary key references "user" (id),
    image blob not null,
    changed_time integer not null
  )`.execute(db);

  await db.schema
    .createTable('staff_role')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('permissions', 'text', (c) => c.notNull())
    .execute();
  await sql`insert into staff_role (name, permissions)
    values ('Support', '["users.read","records.read","groups.read"]')`.execute(db);
}

async function createWaysIn(db: Kysely<unknown>): Promise<void> {
  await sql`create table identity (
    provider text not null,
    issuer text not null,
    subject text not null,
    user_id integer not null references "user" (id),
    label text not null,
    created_time integer not null,
    primary key (provider, issuer, subject)
  ) without rowid`.execute(db);
  await sql`create unique index identity_user on identity (user_id, provider)`.execute(db);

  await db.schema
    .createTable('passkey')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'integer', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('rp_id', 'text', (c) => c.notNull())
    .addColumn('alias', 'text', (c) => c.notNull())
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('last_used_time', 'integer', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('passkey_user').on('passkey').column('user_id').execute();

  await sql`create table one_time (
    value_hash text primary key,
    purpose text not null,
    device_hash text not null,
    user_id integer,
    subject text not null,
    data_sealed text not null,
    tries integer not null,
    created_time integer not null,
    expires_time integer not null
  ) without rowid`.execute(db);
  await sql`create index one_time_device on one_time (device_hash, purpose)`.execute(db);
  await sql`create index one_time_user on one_time (user_id, purpose) where user_id is not null`.execute(db);
  await sql`create index one_time_expiry on one_time (expires_time)`.execute(db);

  await sql`create table known_device (
    user_id integer not null references "user" (id),
    device_hash text not null,
    created_time integer not null,
    last_seen_time integer not null,
    primary key (user_id, device_hash)
  ) without rowid`.execute(db);
}

async function createSecondFactors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('totp')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('user.id'))
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('last_step', 'integer', (c) => c.notNull())
    .execute();
  await sql`create table recovery_code (
    user_id integer not null references "user" (id),
    code_hash text not null,
    primary key (user_id, code_hash)
  ) without rowid`.execute(db);
}

/** Converts the single access token of a user to the first of several, with all its owner's rights. */
async function createAccessTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_token')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('user.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('read_only', 'integer', (c) => c.notNull())
    .addColumn('created_time', 'integer', (c) => c.notNull())
    .addColumn('expires_time', 'integer', (c) => c.notNull())
    .addColumn('last_used_time', 'integer', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('access_token_user').on('access_token').column('user_id').execute();
  await sql`insert into access_token
    (user_id, name, token_hash, hint, scopes, read_only, created_time, expires_time, last_used_time)
    select id, '', access_token_hash, '', '["*"]', 0, created_time, 0, 0
    from "user" where access_token_hash is not null`.execute(db);
  await sql`drop index user_access_token`.execute(db);
  await sql`alter table "user" drop column access_token_hash`.execute(db);
}

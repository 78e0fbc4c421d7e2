import { type Kysely, sql } from 'kysely';

/** Adds payment gateways, orders, redemption codes, statements, and groups that users reach by paying. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table processor (
    id integer primary key autoincrement,
    uuid text not null unique,
    type text not null,
    name text not null,
    icon text not null,
    notify_domain text not null,
    fixed_fee_micros integer not null check (fixed_fee_micros >= 0),
    percent_fee_micros integer not null check (percent_fee_micros >= 0),
    currency text not null,
    exchange_rate_micros integer not null check (exchange_rate_micros >= 0),
    sort integer not null,
    enable integer not null,
    sandbox integer not null,
    config text not null,
    secrets_sealed text not null,
    created_time integer not null,
    deleted_time integer
  )`.execute(db);

  await sql`create table payment_order (
    id integer primary key autoincrement,
    trade_no text not null unique,
    user_id integer not null,
    processor_id integer not null references processor (id),
    processor_ref text not null,
    processor_no text,
    status text not null check (status in ('pending', 'success', 'failed', 'closed', 'refunded', 'disputed')),
    review text not null,
    amount_usd integer not null check (amount_usd > 0),
    quota integer not null check (quota > 0),
    fee_micros integer not null,
    saved_micros integer not null,
    currency text not null,
    order_amount integer not null check (order_amount > 0),
    refunded_amount integer not null default 0 check (refunded_amount between 0 and order_amount),
    refunded_quota integer not null default 0 check (refunded_quota between 0 and quota),
    payment text,
    address text not null,
    created_time integer not null,
    expires_time integer not null,
    paid_time integer,
    asks integer not null default 0,
    next_ask_time integer
  )`.execute(db);
  await sql`create index payment_order_user on payment_order (user_id, id)`.execute(db);
  await sql`create index payment_order_processor on payment_order (processor_id, created_time)`.execute(db);
  await sql`create index payment_order_created on payment_order (created_time)`.execute(db);
  await sql`create index payment_order_paid on payment_order (paid_time) where paid_time is not null`.execute(db);
  await sql`create index payment_order_due on payment_order (next_ask_time) where next_ask_time is not null`.execute(
    db,
  );
  await sql`create index payment_order_review on payment_order (id) where review <> ''`.execute(db);
  await sql`create unique index payment_order_no on payment_order (processor_no, processor_id)
    where processor_no is not null`.execute(db);

  await sql`create table order_event (
    id integer primary key autoincrement,
    order_id integer not null references payment_order (id),
    created_time integer not null,
    event text not null,
    user_id integer,
    detail text not null
  )`.execute(db);
  await sql`create index order_event_order on order_event (order_id, id)`.execute(db);

  await sql`create table order_refund (
    id text primary key,
    order_id integer not null references payment_order (id),
    amount integer not null check (amount > 0),
    quota integer not null check (quota >= 0),
    state text not null check (state in ('pending', 'done', 'failed')),
    reason text not null,
    is_dispute integer not null default 0,
    processor_no text not null,
    created_by integer,
    created_time integer not null,
    tries integer not null default 0,
    next_ask_time integer
  )`.execute(db);
  await sql`create index order_refund_order on order_refund (order_id)`.execute(db);
  await sql`create index order_refund_due on order_refund (next_ask_time) where next_ask_time is not null`.execute(db);

  await sql`create table code_batch (
    id integer primary key autoincrement,
    name text not null,
    quota integer not null check (quota > 0),
    count integer not null,
    prefix text not null,
    expires_time integer not null,
    per_user integer not null,
    for_group text not null,
    grant_group text not null,
    enabled integer not null,
    created_by integer not null,
    created_time integer not null,
    deleted_time integer
  )`.execute(db);
  await sql`create table redemption_code (
    id integer primary key autoincrement,
    batch_id integer not null references code_batch (id),
    code_hash text not null unique,
    code_sealed text not null,
    hint text not null,
    status text not null check (status in ('enabled', 'disabled', 'used')),
    redeemed_time integer not null,
    redeemed_by integer
  )`.execute(db);
  await sql`create index redemption_code_batch on redemption_code (batch_id, status)`.execute(db);
  await sql`create index redemption_code_user on redemption_code (redeemed_by, batch_id)
    where redeemed_by is not null`.execute(db);
  await sql`create index redemption_code_redeemed on redemption_code (redeemed_time, batch_id)
    where status = 'used'`.execute(db);

  await sql`create table invitation_reward (
    ref text primary key,
    what text not null check (what in ('invitation', 'share')),
    inviter_id integer not null,
    invitee_id integer not null,
    points integer not null check (points >= 0),
    changes integer not null,
    created_time integer not null
  ) without rowid`.execute(db);
  await sql`create index invitation_reward_inviter on invitation_reward (inviter_id, invitee_id)`.execute(db);
  await sql`insert into invitation_reward
    select e.ref, 'invitation', e.user_id, u.id, e.user_amount, 0, e.created_at
    from "user" u join ledger_entry e on e.kind = 'gift' and e.ref = 'inviter:' || u.id`.execute(db);

  await sql`create table statement (
    user_id integer not null,
    month text not null,
    content text not null,
    generated_time integer not null,
    primary key (user_id, month)
  ) without rowid`.execute(db);

  // Without users and addresses the table stays small, and it is kept longer than the records that it sums up.
  await sql`create table usage_group_day (
    day integer not null,
    group_symbol text not null,
    requests integer not null,
    quota integer not null,
    cost integer not null,
    costed_quota integer not null,
    primary key (day, group_symbol)
  ) without rowid`.execute(db);

  await sql`alter table user_group add column promotion integer not null default 0`.execute(db);
  await sql`alter table user_group add column min_usd integer not null default 0`.execute(db);
  await sql`alter table user_group add column max_usd integer not null default 0`.execute(db);
  await sql`create index user_inviter on user (inviter_id) where inviter_id is not null`.execute(db);
  // With the amount, and the kind at the end of each of this table's keys, sums are read from the index alone.
  await sql`create index ledger_entry_user on ledger_entry (user_id, created_at, user_amount)`.execute(db);
  // Top-ups are summed up while other writers wait, and most entries are of calls.
  await sql`create index ledger_entry_top_up on ledger_entry (user_id, user_amount)
    where kind in ('top-up', 'refund')`.execute(db);
}

/**
 * Rows of one group commit. Sums that many writes share (balances, hourly usage) are added up in memory first, so
 * that each account and hour is written once per commit, however many requests it contains.
 */
import { getSpend } from '../budgets/channel-spend.ts';
import { getPeriodStart } from '../budgets/period-usage.ts';
import type { Hold, LedgerWrite, NewUsageRecord } from '../ledger-write-types.ts';
import type { UsageHourTable } from '../table.ts';
import { type Statements, toHourValues, toRecordValues } from './commit-statements.ts';

interface Sums {
  users: Map<number, { balance: number; held: number; used: number; requests: number }>;
  keys: Map<number, { remaining: number; held: number; used: number }>;
  keyDays: Map<string, { keyId: number; day: number; used: number }>;
  channels: Map<number, { used: number; requests: number }>;
  channelDays: Map<string, { channelId: number; day: number; spent: number }>;
  hours: Map<string, UsageHourTable>;
}

/** Returns a function that writes inside an open transaction. A settle or void whose hold is gone writes nothing. */
export function createCommitWriter(statements: Statements): (movements: readonly LedgerWrite[]) => void {
  return (movements) => {
    const sums: Sums = {
      users: new Map(),
      keys: new Map(),
      keyDays: new Map(),
      channels: new Map(),
      channelDays: new Map(),
      hours: new Map(),
    };
    for (const movement of movements) writeEntry(statements, sums, movement);
    writeSums(statements, sums);
  };
}

function writeEntry(sql: Statements, sums: Sums, movement: LedgerWrite): void {
  switch (movement.type) {
    case 'hold': {
      const { requestId, userId, apiKeyId, limited, amount, lasting = false } = movement.hold;
      const [isLimited, isLasting] = [Number(limited), Number(lasting)];
      const nodeId = lasting ? null : (movement.nodeId ?? null);
      sql.insertHold(requestId, userId, apiKeyId, isLimited, amount, movement.createdAt, isLasting, nodeId);
      reserve(sums, movement.hold, 1);
      return;
    }
    case 'raise': {
      const { hold, by } = movement;
      if (sql.setHold(hold.amount, hold.requestId) === 0) return;
      reserve(sums, { ...hold, amount: by }, 1);
      return;
    }
    case 'checkpoint':
      sql.setCheckpoint(JSON.stringify(movement.checkpoint), movement.requestId);
      return;
    case 'settle':
      if (!release(sql, sums, movement.hold)) return;
      charge(sql, sums, movement);
      return;
    case 'late-charge':
      charge(sql, sums, movement);
      return;
    case 'void':
      if (!release(sql, sums, movement.hold)) return;
      if (movement.record !== undefined) writeRecord(sql, sums, movement.record);
      return;
    case 'record':
      writeRecord(sql, sums, movement.record);
  }
}

/**
 * Releases the amount in the row, which may differ from the hold's, since a raise may have failed.
 * @returns whether there was a row
 */
function release(sql: Statements, sums: Sums, hold: Hold): boolean {
  const amount = sql.deleteHold(hold.requestId);
  if (amount === undefined) return false;
  reserve(sums, { ...hold, amount }, -1);
  return true;
}

function reserve(sums: Sums, hold: Hold, direction: 1 | -1): void {
  getUserSum(sums, hold.userId).held += direction * hold.amount;
  if (hold.apiKeyId !== null) getKeySum(sums, hold.apiKeyId).held += direction * hold.amount;
}

function charge(
  sql: Statements,
  sums: Sums,
  { hold, charge: points, record }: Extract<LedgerWrite, { type: 'settle' | 'late-charge' }>,
): void {
  const createdAt = record.created_at;
  sql.insertCharge(
    'charge',
    '',
    createdAt,
    hold.requestId,
    hold.userId,
    hold.apiKeyId,
    -points,
    hold.limited ? -points : 0,
  );
  const user = getUserSum(sums, hold.userId);
  user.balance -= points;
  user.used += points;
  user.requests += 1;
  writeRecord(sql, sums, record);
  if (hold.apiKeyId === null) return;
  const key = getKeySum(sums, hold.apiKeyId);
  key.used += points;
  if (hold.limited) key.remaining -= points;
  getKeyDaySum(sums, hold.apiKeyId, getPeriodStart('day', createdAt)).used += points;
}

function writeRecord(sql: Statements, sums: Sums, record: NewUsageRecord): void {
  sql.insertRecord(...toRecordValues(record));
  addToRollups(sums.hours, record);
  if (record.channel_id === null || record.type !== 'consume') return;
  const channel = getOrCreateSum(sums.channels, record.channel_id, () => ({ used: 0, requests: 0 }));
  channel.used += record.quota;
  channel.requests += 1;
  getChannelDaySum(sums, record.channel_id, getPeriodStart('day', record.created_at)).spent += getSpend(record);
}

function writeSums(sql: Statements, { users, keys, keyDays, channels, channelDays, hours }: Sums): void {
  for (const [userId, sum] of users) sql.addToUser(sum.balance, sum.held, sum.used, sum.requests, userId);
  for (const [keyId, sum] of keys) sql.addToKey(sum.remaining, sum.held, sum.used, keyId);
  for (const { keyId, day, used } of keyDays.values()) sql.addToKeyDay(keyId, day, used);
  for (const [channelId, sum] of channels) sql.addToChannel(channelId, sum.used, sum.requests);
  for (const { channelId, day, spent } of channelDays.values()) sql.addToChannelDay(channelId, day, spent);
  for (const hour of hours.values()) sql.addToHour(...toHourValues(hour));
}

const getUserSum = (sums: Sums, userId: number) =>
  getOrCreateSum(sums.users, userId, () => ({ balance: 0, held: 0, used: 0, requests: 0 }));
const getKeySum = (sums: Sums, keyId: number) =>
  getOrCreateSum(sums.keys, keyId, () => ({ remaining: 0, held: 0, used: 0 }));
const getKeyDaySum = (sums: Sums, keyId: number, day: number) =>
  getOrCreateSum(sums.keyDays, `${keyId} ${day}`, () => ({ keyId, day, used: 0 }));
const getChannelDaySum = (sums: Sums, channelId: number, day: number) =>
  getOrCreateSum(sums.channelDays, `${channelId} ${day}`, () => ({ channelId, day, spent: 0 }));

function getOrCreateSum<K, S>(sums: Map<K, S>, key: K, create: () => S): S {
  const known = sums.get(key);
  if (known !== undefined) return known;
  const sum = create();
  sums.set(key, sum);
  return sum;
}

const HOUR_SECONDS = 3600;

/** Adds a usage record to the sums by hour, user, model and channel, for the rollup that reports read. */
function addToRollups(sums: Map<string, UsageHourTable>, record: NewUsageRecord): void {
  if (record.type !== 'consume' && record.type !== 'error') return;
  const sum = getRollup(sums, record);
  if (record.type === 'error') {
    sum.errors += 1;
    return;
  }
  sum.requests += 1;
  sum.quota += record.quota;
  if (record.cost !== null) {
    sum.cost += record.cost;
    sum.costed_quota += record.quota;
  }
  sum.prompt_tokens += record.prompt_tokens;
  sum.completion_tokens += record.completion_tokens;
  sum.duration_ms += record.duration_ms;
}

function getRollup(sums: Map<string, UsageHourTable>, record: NewUsageRecord): UsageHourTable {
  const { user_id, model } = record;
  const hour = record.created_at - (record.created_at % HOUR_SECONDS);
  const channel_id = record.channel_id ?? 0;
  const name = `${hour} ${user_id} ${channel_id} ${model}`;
  const known = sums.get(name);
  if (known !== undefined) return known;
  const sum: UsageHourTable = {
    hour,
    user_id,
    model,
    channel_id,
    requests: 0,
    errors: 0,
    quota: 0,
    cost: 0,
    costed_quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    duration_ms: 0,
  };
  sums.set(name, sum);
  return sum;
}

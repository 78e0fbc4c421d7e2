/**
 * The rows of one group commit. Sums that many movements share (balances, hourly usage) are added up in memory
 * first, so that each account and each hour is written once for a commit, however many requests it holds.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Hold, Movement, NewUsageRecord } from './movement.ts';

interface UserDelta {
  balance: number;
  held: number;
  used: number;
  requests: number;
}
interface KeyDelta {
  remaining: number;
  held: number;
  used: number;
}
interface HourDelta {
  record: NewUsageRecord;
  hour: number;
  requests: number;
  errors: number;
  quota: number;
  prompt: number;
  completion: number;
  duration: number;
}

const HOUR_SECONDS = 3600;

/** Writes movements inside an open transaction. A settle or void whose hold is gone writes nothing. */
export function createCommitWriter(connection: DatabaseSync): (movements: readonly Movement[]) => void {
  const sql = prepareStatements(connection);

  return (movements) => {
    const users = new Map<number, UserDelta>();
    const keys = new Map<number, KeyDelta>();
    const hours = new Map<string, HourDelta>();
    const channels = new Map<number, { used: number; requests: number }>();

    const reserve = (hold: Hold, direction: 1 | -1): void => {
      deltaOf(users, hold.userId, newUserDelta).held += direction * hold.amount;
      if (hold.limited && hold.apiKeyId !== null)
        deltaOf(keys, hold.apiKeyId, newKeyDelta).held += direction * hold.amount;
    };
    const insertRecord = (record: NewUsageRecord): void => {
      sql.insertRecord.run(...recordValues(record));
      addToHour(hours, record);
      if (record.channel_id !== null && record.type === 'consume') {
        const channel = deltaOf(channels, record.channel_id, newChannelDelta);
        channel.used += record.quota;
        channel.requests += 1;
      }
    };

    for (const movement of movements) {
      switch (movement.type) {
        case 'hold': {
          const { hold } = movement;
          sql.insertHold.run(hold.requestId, hold.userId, hold.apiKeyId, hold.amount, movement.createdAt);
          reserve(hold, 1);
          break;
        }
        case 'settle': {
          const { hold, charge, record } = movement;
          if (Number(sql.deleteHold.run(hold.requestId).changes) === 0) break;
          sql.insertCharge.run(
            record.created_at,
            hold.requestId,
            hold.userId,
            hold.apiKeyId,
            -charge,
            hold.limited ? -charge : 0,
          );
          reserve(hold, -1);
          const user = deltaOf(users, hold.userId, newUserDelta);
          user.balance -= charge;
          user.used += charge;
          user.requests += 1;
          if (hold.apiKeyId !== null) {
            const key = deltaOf(keys, hold.apiKeyId, newKeyDelta);
            key.used += charge;
            if (hold.limited) key.remaining -= charge;
          }
          insertRecord(record);
          break;
        }
        case 'void': {
          if (Number(sql.deleteHold.run(movement.hold.requestId).changes) === 0) break;
          reserve(movement.hold, -1);
          if (movement.record !== undefined) insertRecord(movement.record);
          break;
        }
        case 'record':
          insertRecord(movement.record);
          break;
      }
    }

    for (const [userId, d] of users) sql.addToUser.run(d.balance, d.held, d.used, d.requests, userId);
    for (const [keyId, d] of keys) sql.addToKey.run(d.remaining, d.held, d.used, keyId);
    for (const d of hours.values()) {
      const { record } = d;
      sql.addToHour.run(
        d.hour,
        record.user_id,
        record.model,
        record.channel_id ?? 0,
        d.requests,
        d.errors,
        d.quota,
        d.prompt,
        d.completion,
        d.duration,
      );
    }
    for (const [channelId, d] of channels) sql.addToChannel.run(channelId, d.used, d.requests);
  };
}

function prepareStatements(connection: DatabaseSync) {
  const prepare = (text: string) => connection.prepare(text);
  return {
    insertHold: prepare(
      'insert into hold (request_id, user_id, api_key_id, amount, created_at) values (?, ?, ?, ?, ?)',
    ),
    deleteHold: prepare('delete from hold where request_id = ?'),
    insertCharge: prepare(
      "insert into ledger_entry (created_at, kind, ref, user_id, api_key_id, user_amount, key_amount, note) values (?, 'charge', ?, ?, ?, ?, ?, '')",
    ),
    insertRecord: prepare(
      `insert into usage_record (request_id, created_at, type, user_id, api_key_id, channel_id, model, group_symbol, quota, prompt_tokens,
        completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addToUser: prepare(
      'update user_account set balance = balance + ?, held = held + ?, used = used + ?, requests = requests + ? where user_id = ?',
    ),
    addToKey: prepare(
      'update key_account set remaining = remaining + ?, held = held + ?, used = used + ? where api_key_id = ?',
    ),
    addToHour: prepare(
      `insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, prompt_tokens, completion_tokens, duration_ms)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict do update set requests = requests + excluded.requests, errors = errors + excluded.errors, quota = quota + excluded.quota,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens,
         duration_ms = duration_ms + excluded.duration_ms`,
    ),
    addToChannel: prepare(
      `insert into channel_usage (channel_id, used, requests) values (?, ?, ?)
       on conflict do update set used = used + excluded.used, requests = requests + excluded.requests`,
    ),
  };
}

function recordValues(r: NewUsageRecord): (string | number | null)[] {
  return [
    r.request_id,
    r.created_at,
    r.type,
    r.user_id,
    r.api_key_id,
    r.channel_id,
    r.model,
    r.group_symbol,
    r.quota,
    r.prompt_tokens,
    r.completion_tokens,
    r.cached_tokens,
    r.duration_ms,
    r.first_byte_ms,
    r.is_stream,
    r.address,
    r.usage_source,
    r.content,
    r.detail,
  ];
}

function addToHour(hours: Map<string, HourDelta>, record: NewUsageRecord): void {
  if (record.type !== 'consume' && record.type !== 'error') return;
  const hour = record.created_at - (record.created_at % HOUR_SECONDS);
  const delta = deltaOf(hours, `${hour} ${record.user_id} ${record.channel_id} ${record.model}`, () =>
    newHourDelta(record, hour),
  );
  if (record.type === 'error') {
    delta.errors += 1;
    return;
  }
  delta.requests += 1;
  delta.quota += record.quota;
  delta.prompt += record.prompt_tokens;
  delta.completion += record.completion_tokens;
  delta.duration += record.duration_ms;
}

function deltaOf<K, D>(deltas: Map<K, D>, key: K, create: () => D): D {
  const known = deltas.get(key);
  if (known !== undefined) return known;
  const delta = create();
  deltas.set(key, delta);
  return delta;
}

const newUserDelta = (): UserDelta => ({ balance: 0, held: 0, used: 0, requests: 0 });
const newKeyDelta = (): KeyDelta => ({ remaining: 0, held: 0, used: 0 });
const newChannelDelta = () => ({ used: 0, requests: 0 });
const newHourDelta = (record: NewUsageRecord, hour: number): HourDelta => ({
  record,
  hour,
  requests: 0,
  errors: 0,
  quota: 0,
  prompt: 0,
  completion: 0,
  duration: 0,
});

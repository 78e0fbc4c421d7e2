import type { DatabaseSync } from 'node:sqlite';
import type { NewUsageRecord } from './movement.ts';

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(connection: DatabaseSync) {
  const prepare = (text: string) => connection.prepare(text);
  return {
    insertHold: prepare(
      'insert into hold (request_id, user_id, api_key_id, limited, amount, created_at) values (?, ?, ?, ?, ?, ?)',
    ),
    setCheckpoint: prepare('update hold set checkpoint = ? where request_id = ?'),
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
    addToKeyDay: prepare(
      `insert into key_day (api_key_id, day, used) values (?, ?, ?)
       on conflict do update set used = used + excluded.used`,
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

export function recordValues(r: NewUsageRecord): (string | number | null)[] {
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

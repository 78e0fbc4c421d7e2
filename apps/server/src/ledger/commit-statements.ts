import type { DatabaseSync } from 'node:sqlite';
import type { NewUsageRecord } from './movement.ts';
import type { UsageHourTable } from './table.ts';

const recordColumns = [
  'request_id',
  'created_at',
  'type',
  'user_id',
  'api_key_id',
  'channel_id',
  'model',
  'group_symbol',
  'quota',
  'cost',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'duration_ms',
  'first_byte_ms',
  'is_stream',
  'address',
  'usage_source',
  'content',
  'detail',
] as const satisfies readonly (keyof Omit<NewUsageRecord, 'spend'>)[];

const hourKeys = ['hour', 'user_id', 'model', 'channel_id'] as const;
const hourSums = [
  'requests',
  'errors',
  'quota',
  'cost',
  'costed_quota',
  'prompt_tokens',
  'completion_tokens',
  'duration_ms',
] as const;
const hourColumns = [...hourKeys, ...hourSums] satisfies readonly (keyof UsageHourTable)[];

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(connection: DatabaseSync) {
  const prepare = (text: string) => connection.prepare(text);
  return {
    insertHold: prepare(
      'insert into hold (request_id, user_id, api_key_id, limited, amount, created_at, lasting) values (?, ?, ?, ?, ?, ?, ?)',
    ),
    setCheckpoint: prepare('update hold set checkpoint = ? where request_id = ?'),
    setHold: prepare('update hold set amount = ? where request_id = ?'),
    deleteHold: prepare('delete from hold where request_id = ? returning amount'),
    insertCharge: prepare(
      "insert into ledger_entry (created_at, kind, ref, user_id, api_key_id, user_amount, key_amount, note) values (?, 'charge', ?, ?, ?, ?, ?, '')",
    ),
    insertRecord: prepare(insertInto('usage_record', recordColumns)),
    addToUser: prepare(
      'update user_account set balance = balance + ?, held = held + ?, used = used + ?, requests = requests + ? where user_id = ?',
    ),
    addToKey: prepare(
      'update key_account set remaining = remaining + ?, held = held + ?, used = used + ? where api_key_id = ?',
    ),
    addToKeyDay: prepare(addInto('key_day', ['api_key_id', 'day'], ['used'])),
    addToHour: prepare(addInto('usage_hour', hourKeys, hourSums)),
    addToChannelDay: prepare(addInto('channel_day', ['channel_id', 'day'], ['spent'])),
    addToChannel: prepare(addInto('channel_usage', ['channel_id'], ['used', 'requests'])),
  };
}

export function recordValues(record: NewUsageRecord): (string | number | null)[] {
  return recordColumns.map((column) => record[column]);
}

export function hourValues(hour: UsageHourTable): (string | number)[] {
  return hourColumns.map((column) => hour[column]);
}

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

/** Adds to the row that has the same keys, or makes it. */
function addInto(table: string, keys: readonly string[], sums: readonly string[]): string {
  const added = sums.map((column) => `${column} = ${column} + excluded.${column}`);
  return `${insertInto(table, [...keys, ...sums])} on conflict do update set ${added.join(', ')}`;
}

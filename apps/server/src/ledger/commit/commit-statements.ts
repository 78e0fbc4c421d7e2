/** Statements of a commit: SQLite runs them per row, PostgreSQL for all rows of a commit together. */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { toStorable } from '../../db/postgres/sqlite-compatibility.ts';
import type { NewUsageRecord } from '../ledger-write-types.ts';
import type { UsageHourTable } from '../table.ts';

export type Value = string | number | null;

/** @returns number of changed rows */
type Run = (...values: Value[]) => number;

export type Statements = Readonly<Record<keyof typeof writeDefinitions, Run>> & {
  /** @returns the reserved points of the row; undefined without a row */
  deleteHold(requestId: string): number | undefined;
};

interface Write {
  table: string;
  /** Columns in the order of the values. */
  columns: readonly string[];
  /** Operation on the row `n` of values. */
  kind: 'insert' | 'add-or-insert' | 'add' | 'set';
  /** Key columns: the first ones of an inserted row, the last ones of any other. */
  keys: readonly string[];
}

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

const insert = (table: string, columns: readonly string[]): Write => ({ table, columns, kind: 'insert', keys: [] });
const addOrInsert = (table: string, keys: readonly string[], sums: readonly string[]): Write => ({
  table,
  columns: [...keys, ...sums],
  kind: 'add-or-insert',
  keys,
});
const change = (kind: 'add' | 'set', table: string, columns: readonly string[], key: string): Write => ({
  table,
  columns: [...columns, key],
  kind,
  keys: [key],
});

const writeDefinitions = {
  insertHold: insert('hold', [
    'request_id',
    'user_id',
    'api_key_id',
    'limited',
    'amount',
    'created_at',
    'lasting',
    'node_id',
  ]),
  setCheckpoint: change('set', 'hold', ['checkpoint'], 'request_id'),
  setHold: change('set', 'hold', ['amount'], 'request_id'),
  insertCharge: insert('ledger_entry', [
    'kind',
    'note',
    'created_at',
    'ref',
    'user_id',
    'api_key_id',
    'user_amount',
    'key_amount',
  ]),
  insertRecord: insert('usage_record', recordColumns),
  addToUser: change('add', 'user_account', ['balance', 'held', 'used', 'requests'], 'user_id'),
  addToKey: change('add', 'key_account', ['remaining', 'held', 'used'], 'api_key_id'),
  addToKeyDay: addOrInsert('key_day', ['api_key_id', 'day'], ['used']),
  addToHour: addOrInsert('usage_hour', hourKeys, hourSums),
  addToChannelDay: addOrInsert('channel_day', ['channel_id', 'day'], ['spent']),
  addToChannel: addOrInsert('channel_usage', ['channel_id'], ['used', 'requests']),
} satisfies Record<string, Write>;

export function toRecordValues(record: NewUsageRecord): Value[] {
  return recordColumns.map((column) => record[column]);
}

export function toHourValues(hour: UsageHourTable): Value[] {
  return hourColumns.map((column) => hour[column]);
}

/** Prepares the SQLite statements; each takes the values of one row. */
export function prepareStatements(connection: DatabaseSync): Statements {
  const prepare = (text: string) => connection.prepare(text);
  const write = (described: Write): Run => {
    const statement = prepare(buildRowSql(described));
    return (...values) => Number(statement.run(...values).changes);
  };
  const deleteHold = prepare('delete from hold where request_id = ? returning amount');
  return {
    insertHold: write(writeDefinitions.insertHold),
    setCheckpoint: write(writeDefinitions.setCheckpoint),
    setHold: write(writeDefinitions.setHold),
    insertCharge: write(writeDefinitions.insertCharge),
    insertRecord: write(writeDefinitions.insertRecord),
    addToUser: write(writeDefinitions.addToUser),
    addToKey: write(writeDefinitions.addToKey),
    addToKeyDay: write(writeDefinitions.addToKeyDay),
    addToHour: write(writeDefinitions.addToHour),
    addToChannelDay: write(writeDefinitions.addToChannelDay),
    addToChannel: write(writeDefinitions.addToChannel),
    deleteHold(requestId) {
      const row = deleteHold.get(requestId);
      return row === undefined ? undefined : Number(row['amount']);
    },
  };
}

function buildRowSql(write: Write): string {
  const { table, columns, kind } = write;
  const places = columns.map(() => '?').join(', ');
  if (kind === 'insert' || kind === 'add-or-insert')
    return `insert into ${table} (${columns.join(', ')}) values (${places})${buildConflictClause(write)}`;
  return `update ${table} set ${buildAssignments(write, () => '?')} where ${columns.at(-1)} = ?`;
}

const textColumns: ReadonlySet<string> = new Set([
  'request_id',
  'ref',
  'kind',
  'note',
  'type',
  'model',
  'group_symbol',
  'address',
  'usage_source',
  'content',
  'detail',
  'checkpoint',
]);

/** Returns the PostgreSQL statement, which takes one array of values per column. */
function buildBatchSql(write: Write): string {
  const { table, columns, kind, keys } = write;
  const lists = columns.map((column, n) => `$${n + 1}::${textColumns.has(column) ? 'text' : 'bigint'}[]`);
  const rows = `unnest(${lists.join(', ')}) as n (${columns.join(', ')})`;
  const key = columns.at(-1);
  const update = `update ${table} set ${buildAssignments(write, (column) => `n.${column}`)}`;
  // Commits have locked these rows already.
  if (kind === 'add') return `${update} from ${rows} where ${table}.${key} = n.${key}`;
  if (kind === 'set')
    return `${update} from (
        select n.* from ${rows} join ${table} on ${table}.${key} = n.${key} order by ${table}.${key} for update of ${table}
      ) as n where ${table}.${key} = n.${key}`;
  // All nodes update rows in the same order, so that they cannot deadlock.
  const order = keys.length === 0 ? '' : ` order by ${keys.join(', ')}`;
  return `insert into ${table} (${columns.join(', ')}) select * from ${rows}${order}${buildConflictClause(write)}`;
}

function buildAssignments({ table, columns, kind }: Write, value: (column: string) => string): string {
  return columns
    .slice(0, -1)
    .map((column) => `${column} = ${kind === 'add' ? `${table}.${column} + ` : ''}${value(column)}`)
    .join(', ');
}

function buildConflictClause({ table, columns, kind, keys }: Write): string {
  if (kind !== 'add-or-insert') return '';
  const added = columns.slice(keys.length).map((column) => `${column} = ${table}.${column} + excluded.${column}`);
  return ` on conflict (${keys.join(', ')}) do update set ${added.join(', ')}`;
}

type WriteName = keyof typeof writeDefinitions;

const writeNames = Object.keys(writeDefinitions) as WriteName[];
const writeSql = new Map(writeNames.map((name) => [name, buildBatchSql(writeDefinitions[name])]));

/** Writes that set a value: of several for one row, the last one counts. */
const lastOneCounts: ReadonlySet<WriteName> = new Set(['setCheckpoint', 'setHold']);

/**
 * Collects the writes of a commit on PostgreSQL, and writes them with one statement per table.
 * @param endedHolds reserved points of each hold that a write ends; without holds that had already ended
 * @param raisableHolds holds that a write raises, and that have not ended
 */
export function collectStatements({
  endedHolds,
  raisableHolds,
}: {
  endedHolds: ReadonlyMap<string, number>;
  raisableHolds: ReadonlySet<string>;
}): { statements: Statements; write(client: ClientBase): Promise<void> } {
  const collected = new Map<WriteName, Value[][]>(writeNames.map((name) => [name, []]));
  const collect =
    (name: WriteName) =>
    (...values: Value[]): number => {
      collected.get(name)?.push(values);
      return 1;
    };
  const left = new Map(endedHolds);
  return {
    statements: {
      insertHold: collect('insertHold'),
      setCheckpoint: collect('setCheckpoint'),
      setHold: (amount, requestId) =>
        raisableHolds.has(String(requestId)) ? collect('setHold')(amount, requestId) : 0,
      insertCharge: collect('insertCharge'),
      insertRecord: collect('insertRecord'),
      addToUser: collect('addToUser'),
      addToKey: collect('addToKey'),
      addToKeyDay: collect('addToKeyDay'),
      addToHour: collect('addToHour'),
      addToChannelDay: collect('addToChannelDay'),
      addToChannel: collect('addToChannel'),
      deleteHold(requestId) {
        const amount = left.get(requestId);
        left.delete(requestId);
        return amount;
      },
    },
    async write(client) {
      for (const [name, rows] of collected) {
        const written = lastOneCounts.has(name)
          ? [...new Map(rows.map((values) => [values.at(-1), values])).values()]
          : rows;
        if (written.length === 0) continue;
        const lists = writeDefinitions[name].columns.map((_, column) =>
          written.map((values) => toStorable(values[column] ?? null)),
        );
        await client.query(writeSql.get(name) ?? '', lists);
      }
    },
  };
}

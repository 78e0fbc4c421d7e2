/**
 * Writes to ClickHouse over HTTP. A response with a success status still counts as failed if it names an exception.
 * https://clickhouse.com/docs/interfaces/http
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ClickhouseConfig } from '../../config.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';

const TIMEOUT_MS = 30_000;
const REASON_LENGTH_MAX = 200;

export interface ClickhouseClient {
  /** Creates the table if it is missing. */
  createTable(): Promise<void>;
  /**
   * @param lines rows as lines of JSON
   * @param token deduplication token; ClickHouse ignores rows with a token that the table still remembers
   */
  insert(lines: readonly Buffer[], token: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the statement that creates the table. Rows that arrived twice are deduplicated by id when ClickHouse
 * merges, or by `final` in a query.
 */
const buildCreateTable = (name: string): string => `create table if not exists ${name} (
    id UInt64, request_id String, created_at DateTime('UTC'), type LowCardinality(String), user_id UInt64,
    api_key_id Nullable(UInt64), channel_id Nullable(UInt64), model LowCardinality(String),
    group_symbol LowCardinality(String), quota Int64, cost Nullable(Int64), prompt_tokens Int64,
    completion_tokens Int64, cached_tokens Int64, duration_ms Int64, first_byte_ms Int64, is_stream UInt8,
    address String, usage_source LowCardinality(String), content String, detail String
  ) engine = ReplacingMergeTree partition by toYYYYMM(created_at) order by id
  settings non_replicated_deduplication_window = 1000`;

/** @param stopping aborts running requests */
export function createClickhouseClient(config: ClickhouseConfig, stopping: AbortSignal): ClickhouseClient {
  const { origin, user, password, database, table } = config;
  // Only the configured host is allowed.
  const outbound = createOutbound([new URL(origin).hostname]);
  const ask = async (settings: Record<string, string>, body: Buffer, encoding: object): Promise<void> => {
    const query = new URLSearchParams({ database, ...settings });
    const { status, headers, text } = await outbound.fetchJson({
      method: 'POST',
      url: `${origin}/?${query.toString()}`,
      headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password, ...encoding },
      body,
      proxy: '',
      timeoutMs: TIMEOUT_MS,
      signal: stopping,
    });
    if (status === 200 && headers['x-clickhouse-exception-code'] === undefined && text.trim() === '') return;
    throw new Error(`ClickHouse returned status ${status}: ${text.trim().slice(0, REASON_LENGTH_MAX)}`);
  };
  return {
    createTable: () => ask({}, Buffer.from(buildCreateTable(table)), {}),
    async insert(lines, token) {
      const rows = Buffer.concat(lines);
      const settings = {
        query: `insert into ${table} format JSONEachRow`,
        insert_deduplicate: '1',
        // After a restore, ids are assigned again to other rows, which must not count as duplicates.
        insert_deduplication_token: `${token}-${createHash('sha256').update(rows).digest('hex').slice(0, 16)}`,
        // Otherwise ClickHouse would report success before it has written the rows.
        async_insert: '0',
        wait_end_of_query: '1',
      };
      await ask(settings, await promisify(gzip)(rows), { 'content-encoding': 'gzip' });
    },
    close: () => outbound.close(),
  };
}

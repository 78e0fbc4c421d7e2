/** Simulates the HTTP interface of ClickHouse: one table that deduplicates inserts by token, and rows by id. */
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { listen } from '../../../../tests/listen.ts';

/** Faults that replace the response to an insert. The rows are written, except for `refused` and `silence`. */
export type ClickhouseFault = 'refused' | 'silence' | 'failed-late' | 'cut' | 'exception-in-success';

export interface ScriptedClickhouse {
  /** Address with a user, a password and a database. */
  url: string;
  /** Undefined: the table was not created. */
  rows: ReadonlyMap<number, Record<string, unknown>> | undefined;
  /** Number of rows from inserts with an unknown token. */
  newRows: number;
  inserts: number;
  injectFault: (() => ClickhouseFault | undefined) | undefined;
  close(): Promise<void>;
}

const PASSWORD = 'p@ss:word';

export async function startClickhouse(): Promise<ScriptedClickhouse> {
  const tokens = new Set<string>();
  let rows: Map<number, Record<string, unknown>> | undefined;
  const insert = (body: Buffer, token: string): void => {
    if (tokens.has(token)) return;
    tokens.add(token);
    for (const line of gunzipSync(body).toString().trim().split('\n')) {
      const row = JSON.parse(line) as { id: number };
      rows?.set(row.id, row);
      played.newRows += 1;
    }
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { url = '', headers, method } = request;
      const query = new URL(url, 'http://clickhouse').searchParams;
      const body = Buffer.concat(pieces);
      const isKnown = headers['x-clickhouse-user'] === 'gateway' && headers['x-clickhouse-key'] === PASSWORD;
      if (method !== 'POST' || !isKnown || query.get('database') !== 'usage')
        return void response.writeHead(403).end('Code: 516. DB::Exception: Authentication failed');
      if (!query.has('query')) {
        if (!body.toString().startsWith('create table if not exists calls (')) response.writeHead(400);
        else rows ??= new Map();
        return void response.end();
      }
      played.inserts += 1;
      const isInsert = query.get('query') === 'insert into calls format JSONEachRow';
      if (!isInsert || rows === undefined || headers['content-encoding'] !== 'gzip')
        return void response.writeHead(404).end('Code: 60. DB::Exception: Unknown table');
      const instead = played.injectFault?.();
      if (instead === 'silence') return;
      if (instead === 'refused') return void response.writeHead(503).end('Code: 202. Too many queries');
      insert(body, query.get('insert_deduplication_token') ?? '');
      if (instead === 'failed-late') return void response.writeHead(500).end('Code: 159. Timeout exceeded');
      if (instead === 'cut') return void request.socket.destroy();
      if (instead === 'exception-in-success') response.setHeader('x-clickhouse-exception-code', '241');
      response.end();
    });
  });
  const port = await listen(server);
  const played: ScriptedClickhouse = {
    url: `http://gateway:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/usage`,
    get rows() {
      return rows;
    },
    newRows: 0,
    inserts: 0,
    injectFault: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return played;
}

/**
 * Explains the statements of the server's writing connection while tests of queues run on SQLite. They run in the
 * thread that serves requests, so that a statement that reads a whole table, or all rows of a user, delays every request
 * once the table has grown.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { afterAll, expect } from 'vitest';

/** Tests whose statements are explained. */
const explained = /\/src\/(tasks|operations\/(notifications|mail)|accounts\/second-factor|gateway\/endpoints\/video-)/;
/**
 * Tables of these features that grow with use. Their notification channels, 20 for each user at most, are all read for a
 * site event; tables of other features are read by jobs and at the start as well.
 */
const growingTables = ['task', 'stored_work', 'delivery', 'alert_mark', 'mail', 'totp', 'passkey', 'recovery_code'];
/** Step that reads all rows of one user, however few of them the statement needs. */
const readsAllOfUser = /INDEX (task_(user|format)|delivery_(owner|event)) \(user_id=\?\)/;
const FRAMES = 100;

if (explained.test(expect.getState().testPath ?? '')) {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare = original.value as (this: DatabaseSync, statement: string) => StatementSync;
  const scans = new Set<string>();
  DatabaseSync.prototype.prepare = function explainAndPrepare(this: DatabaseSync, statement) {
    // Tests alone delete all rows of a table.
    const isQuery = /^\s*(select|insert|update|delete .* where|with)\b/i.test(statement);
    for (const row of isQuery && isFromServer() ? prepare.call(this, `explain query plan ${statement}`).all() : []) {
      const table = findScannedTable(String(row['detail']), statement);
      if (table !== undefined) scans.add(`${table}: ${statement}`);
    }
    return prepare.call(this, statement);
  };
  afterAll(() => {
    Object.defineProperty(DatabaseSync.prototype, 'prepare', original);
    expect(
      [...scans],
      `These statements read all rows of a table, or of a user in it. Add an index. Checked tables: ${growingTables.join(', ')}`,
    ).toEqual([]);
  });
}

/** Returns whether the running server runs the statement, and not its start, a test or a scene. */
function isFromServer(): boolean {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('stack');
  Error.stackTraceLimit = before;
  // Rows that are removed in chunks are read once.
  if (stack.includes('processRowsInChunks')) return false;
  const callers = stack
    .split('\n')
    .filter((frame) => /\/(apps|tests)\//.test(frame) && !/\/src\/db\/(?!migrate)|explain-statements/.test(frame));
  const isStart = callers.some((frame) => /\/src\/(open-context|app|db\/migrate)\.ts/.test(frame));
  return !isStart && !/\.test\.ts|\/testing\/|\/tests\//.test(callers[0] ?? '');
}

/**
 * Returns the growing table of which a step of a plan reads all rows, or all of one owner. An index in order is read up
 * to the limit only.
 */
function findScannedTable(step: string, statement: string): string | undefined {
  const [, table = '', index] = /^SCAN (\w+)( USING .*INDEX)?/.exec(step) ?? [];
  const isLimited = index !== undefined && /\blimit\b/i.test(statement);
  if (growingTables.includes(table) && !isLimited) return table;
  return /^\s*select/i.test(statement) ? readsAllOfUser.exec(step)?.[0] : undefined;
}

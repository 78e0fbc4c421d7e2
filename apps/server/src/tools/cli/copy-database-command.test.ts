import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgresPool } from '../../testing/database-server.ts';
import { startRelayScene } from '../../testing/relay-scene.ts';
import { type CliEnvironment, runCli, spawnCli } from '../../testing/run-cli.ts';
import { createEmptyDatabase, sharedPostgres } from '../../testing/shared-servers.ts';

const MANY_STARTS_MS = 120_000;

// The tests of this run have databases of one kind; here there are both.
const server = process.env['TEST_POSTGRES'] === undefined ? await sharedPostgres() : undefined;
const folder = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
const dataDir = join(folder, 'data');
const file = join(dataDir, 'switchyard.db');

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const copy = (parameters: readonly string[], variables: CliEnvironment = {}) =>
  runCli(['copy', ...parameters], { DATA_DIR: dataDir, ...variables });

function copyTo(target: string, variables: CliEnvironment = {}) {
  return copy(['--to', target], variables);
}

/** Every row of every table, sorted by its text. */
function contentOf(database: string): Record<string, string[]> {
  const connection = new DatabaseSync(database, { readOnly: true });
  const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all();
  const content = tables.map(({ name }) => {
    const rows = connection.prepare(`select * from "${String(name)}"`).all();
    return [String(name), rows.map((row) => JSON.stringify(row)).toSorted()];
  });
  connection.close();
  return Object.fromEntries(content);
}

/** Of a request on whose way the process died. */
function leaveHold(): void {
  const connection = new DatabaseSync(file);
  connection.exec(`insert into hold (request_id, user_id, api_key_id, limited, amount, lasting, created_at)
    values ('left', 2, null, 0, 5, 0, 1)`);
  connection.exec('update user_account set held = held + 5 where user_id = 2');
  connection.close();
}

describe.skipIf(server === undefined)('a copy', () => {
  test(
    'replaces characters that PostgreSQL does not accept when copying',
    async () => {
      const from = join(folder, 'signs');
      const scene = await startRelayScene({ dataDir: from });
      await scene.ctx.db.writer.updateTable('user').set({ display_name: 'a\0b\u{1f600}' }).execute();
      await scene.close();
      const uri = await createEmptyDatabase(server ?? { uri: '' });
      expect((await copyTo(uri, { DATA_DIR: from })).output).toContain('copied and verified');
      const pool = openPostgresPool(uri);
      const { rows } = await pool.query('select distinct display_name from "user"');
      expect(rows).toEqual([{ display_name: 'a\ufffdb\u{1f600}' }]);
      await pool.end();
    },
    MANY_STARTS_MS,
  );

  test(
    'leaves the target empty when the ledger has discrepancies, unless the operator overrides it',
    async () => {
      const from = join(folder, 'discrepant');
      const scene = await startRelayScene({ dataDir: from });
      await scene.close();
      const connection = new DatabaseSync(join(from, 'switchyard.db'));
      connection.exec('update user_account set balance = balance + 1 where user_id = 2');
      connection.close();
      const uri = await createEmptyDatabase(server ?? { uri: '' });
      for (let times = 0; times < 2; times += 1) {
        const { status, output } = await copyTo(uri, { DATA_DIR: from });
        expect(output).toMatch(/1 problems[^]*Nothing was copied/);
        expect(status).toBe(1);
      }
      const pool = openPostgresPool(uri);
      expect((await pool.query('select 1 from "user"')).rows).toEqual([]);
      const { status, output } = await copy(['--to', uri, '--despite-problems'], { DATA_DIR: from });
      expect(output).toMatch(/copied and verified[^]*1 problems/);
      expect(status).toBe(0);
      expect((await pool.query('select 1 from "user"')).rows).toHaveLength(2);
      await pool.end();
      const back = join(folder, 'discrepant.db');
      expect((await copyTo(back, { DATA_DIR: from, DATABASE_URL: uri })).output).toContain('Nothing was copied');
      expect(existsSync(back)).toBe(false);
    },
    MANY_STARTS_MS,
  );

  test(
    'copies a used installation to PostgreSQL and back with every row, and no row twice',
    async () => {
      const scene = await startRelayScene({ dataDir });
      await scene.newChannel({});
      for (let nth = 0; nth < 3; nth += 1) expect((await scene.chat('scripted')).status).toBe(200);
      await scene.waitUntilSettled();
      expect((await copyTo('postgres://127.0.0.1:9/x')).output).toContain('Another process is using the data folder');
      await scene.close();
      leaveHold();

      const uri = await createEmptyDatabase(server ?? { uri: '' });
      expect((await copy([])).output).toContain('Name the target');
      // A copy that fails leaves the target empty for the next one.
      expect(await copyTo(uri, { MASTER_KEY: 'ab'.repeat(32) })).toMatchObject({
        status: 1,
        output: expect.stringContaining('The master key in MASTER_KEY does not match this database'),
      });
      // As documented for passwords that must not be in the process list.
      const there = await spawnCli(['copy'], { DATA_DIR: dataDir, COPY_TO: uri });
      expect(there.output).toMatch(/\d+ rows of \d+ tables were copied and verified\.\n.* 0 problems/);
      expect(there.status).toBe(0);
      // The first node ends the holds of the killed process.
      const copied = openPostgresPool(uri);
      const ofNobody = await copied.query('select lease_until::int from hold join node on node.id = hold.node_id');
      expect(ofNobody.rows).toEqual([{ lease_until: 0 }]);
      await copied.end();
      expect(await copyTo(uri)).toMatchObject({ status: 1, output: expect.stringContaining('is not empty') });

      const back = join(folder, 'back.db');
      writeFileSync(join(dataDir, 'unwritten-ends.jsonl'), '{}\n');
      expect((await copyTo(back, { DATABASE_URL: uri })).output).toContain('not in the database yet');
      rmSync(join(dataDir, 'unwritten-ends.jsonl'));
      // Leftovers of a killed copy don't block the next one.
      writeFileSync(`${back}.partial`, 'half a database');
      expect((await copyTo(back, { DATABASE_URL: uri })).output).toContain('0 problems');
      for (const end of ['-wal', '.partial']) expect(existsSync(`${back}${end}`)).toBe(false);
      const [before, after] = [contentOf(file), contentOf(back)];
      // When each migration was made differs, and which numbers were given but not used.
      for (const content of [before, after])
        for (const name of ['kysely_migration', 'upgrade', 'sqlite_sequence']) delete content[name];
      expect(Object.values(before).flat().length).toBeGreaterThan(20);
      expect(after).toEqual(before);
      expect(await copyTo(back, { DATABASE_URL: uri })).toMatchObject({
        status: 1,
        output: expect.stringContaining('already a file'),
      });

      // Sequences continue.
      const pool = openPostgresPool(uri);
      const { rows } = await pool.query(
        `select max(id)::int as last, nextval(pg_get_serial_sequence('"user"', 'id'))::int as next from "user"`,
      );
      expect(rows).toEqual([{ last: 2, next: 3 }]);
      await pool.end();
    },
    MANY_STARTS_MS,
  );
});

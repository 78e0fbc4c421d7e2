/** The two database engines, for tests of behaviour that both must share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, openDatabase } from '../../apps/server/src/db/open-database.ts';
import {
  createEmptyDatabase,
  createMigratedDatabase,
  sharedPostgres,
} from '../../apps/server/src/testing/shared-servers.ts';
import { copyTemplate } from '../../apps/server/src/testing/test-config.ts';

export interface Engine {
  kind: 'sqlite' | 'postgres';
  /** Name in the titles of its tests. */
  name: string;
}

export const engines: readonly Engine[] = [
  { kind: 'sqlite', name: 'SQLite' },
  { kind: 'postgres', name: 'PostgreSQL' },
];

const MISSING = 'PostgreSQL is not installed here (apt install postgresql)';

export interface TestDatabases {
  /** @returns the file or the address of a new database without tables */
  createEmpty(): Promise<string>;
  /** @returns the file or the address of a new database with our tables */
  createMigrated(): Promise<string>;
  /** Opens a database, by default a new one with our tables, and closes it after the last test. */
  open(databaseUrl?: string): Promise<Database>;
  /** Two nodes on a new database with our tables; on SQLite, which has one node, the same one twice. */
  openTwice(): Promise<readonly [one: Database, other: Database]>;
}

/** Creates the databases for the tests of a `describe`, and skips them if the engine is not installed. */
export function useTestDatabases({ kind }: Engine): TestDatabases {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-engines-'));
  const opened: Database[] = [];
  let files = 0;
  let server: Awaited<ReturnType<typeof sharedPostgres>>;
  beforeAll(async () => {
    if (kind === 'postgres') server = await sharedPostgres();
  });
  beforeEach((context) => {
    if (kind === 'postgres' && server === undefined) context.skip(MISSING);
  });
  afterAll(async () => {
    for (const db of opened) await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const newFile = (): string => {
    files += 1;
    return join(folder, `${files}.db`);
  };
  const postgres = () => {
    if (server === undefined) throw new Error(MISSING);
    return server;
  };
  const migrated = async (): Promise<string> => {
    if (kind === 'postgres') return createMigratedDatabase(postgres());
    const file = newFile();
    copyTemplate(file);
    return file;
  };
  const keep = async (opening: Promise<Database>): Promise<Database> => {
    const db = await opening;
    opened.push(db);
    return db;
  };
  return {
    createMigrated: migrated,
    createEmpty: async () => (kind === 'postgres' ? createEmptyDatabase(postgres()) : newFile()),
    open: async (databaseUrl) => keep(openDatabase(databaseUrl ?? (await migrated()))),
    async openTwice() {
      const databaseUrl = await migrated();
      const one = await keep(openDatabase(databaseUrl));
      return [one, kind === 'postgres' ? await keep(openDatabase(databaseUrl)) : one];
    },
  };
}

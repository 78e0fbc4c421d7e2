/** Brings the tables up to date, after a backup, and rejects a database of a newer version. */
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DiskFullError, type ReadDiskStats, readDiskStats } from '../platform/disk-space.ts';
import { getErrorMessage } from '../platform/log.ts';
import { version } from '../platform/version.ts';
import type { Schema } from '../schema.ts';
import { migrations } from './migration-list.ts';
import { copyDatabase, removeDatabase } from './sqlite/copy-database.ts';

export interface Upgrade {
  /** True if a database with older tables is copied before they are changed. */
  copyFirst: boolean;
  disk?: ReadDiskStats;
  /** True for PostgreSQL, where statements have no time limit. */
  isPatient?: boolean | undefined;
}

/**
 * Statement that creates the table of versions. It belongs to no migration, because it is read before any is known to
 * be applied.
 */
export const VERSIONS_TABLE =
  'create table if not exists upgrade (migration varchar(255) not null primary key, version varchar(64) not null)';

/** Number of retained backups that upgrades make. */
const BACKUPS_KEPT = 2;

/**
 * @param file of the database; PostgreSQL has none, and is backed up with its own tools
 * @throws if the program does not know all applied migrations, or a migration fails
 */
export async function migrate(db: Kysely<Schema>, upgrade: Upgrade, file?: string): Promise<void> {
  const applied = await appliedMigrations(db);
  await rejectNewerVersion(db, applied);
  const pending = Object.keys(migrations).filter((name) => !applied.has(name));
  if (pending.length === 0) return;
  const copy =
    applied.size > 0 && upgrade.copyFirst && file !== undefined
      ? await copyBeforeUpgrade(db, file, pending, upgrade.disk ?? readDiskStats)
      : undefined;
  await recordVersion(db, pending);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
  const what = failed === undefined ? 'The migrations failed' : `The migration ${failed} failed`;
  const advice = adviseAfterFailure(applied.size === 0, file, copy);
  throw new Error(`${what}: ${getErrorMessage(error).replace(/\.$/, '')}. ${advice}`, { cause: error });
}

/** SQLite keeps what a failed upgrade has changed so far; PostgreSQL undoes it. */
function adviseAfterFailure(isNew: boolean, file: string | undefined, copy: string | undefined): string {
  if (file === undefined) return 'PostgreSQL has undone the whole upgrade. Remove the cause, then start again.';
  if (isNew) return `Remove the cause and the new file ${file}, then start again.`;
  const source = copy === undefined ? 'a backup from before the upgrade' : 'the copy from before the upgrade';
  return `The database may be partly upgraded. Remove the cause, or install the earlier version; then restore ${source}: npm run switchyard -- restore ${copy ?? 'FILE'} --replace`;
}

/** Returns the names of the migrations that the database has applied. */
async function appliedMigrations(db: Kysely<Schema>): Promise<ReadonlySet<string>> {
  if (!(await hasTable(db, 'kysely_migration'))) return new Set();
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

async function hasTable(db: Kysely<Schema>, name: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some((table) => table.name === name);
}

/** @throws with the version that wrote the database */
async function rejectNewerVersion(db: Kysely<Schema>, applied: ReadonlySet<string>): Promise<void> {
  const unknown = [...applied].filter((name) => !Object.hasOwn(migrations, name)).toSorted();
  const last = unknown.at(-1);
  if (last === undefined) return;
  const writer = (await readVersions(db)).get(last);
  throw new Error(
    `This database was written by ${writer === undefined ? 'a newer version' : `version ${writer}`} of Switchyard and this is version ${version}, which does not know ${unknown.join(', ')}. Nothing was changed. Start the newer version again, or restore a backup from before the upgrade: npm run switchyard -- restore FILE --replace`,
  );
}

/** Returns the version of the program that applied, or was about to apply, each migration. */
async function readVersions(db: Kysely<Schema>): Promise<ReadonlyMap<string, string>> {
  if (!(await hasTable(db, 'upgrade'))) return new Map();
  const { rows } = await sql<{ migration: string; version: string }>`select migration, version from upgrade`.execute(
    db,
  );
  return new Map(rows.map(({ migration, version }) => [migration, version]));
}

async function recordVersion(db: Kysely<Schema>, pending: readonly string[]): Promise<void> {
  await sql.raw(VERSIONS_TABLE).execute(db);
  for (const migration of pending)
    await sql`insert into upgrade (migration, version) values (${migration}, ${version})
      on conflict (migration) do update set version = excluded.version`.execute(db);
}

/**
 * Copies the database once per upgrade. A start that failed after the copy has already recorded the version, and its
 * copy is the correct one: another would contain half-migrated tables.
 * @returns the file of the copy
 */
async function copyBeforeUpgrade(
  db: Kysely<Schema>,
  file: string,
  pending: readonly string[],
  disk: ReadDiskStats,
): Promise<string> {
  const [next = ''] = pending;
  const copyOf = (migration: string): string => `${file}.before-${migration}`;
  const earlier = await findInterruptedUpgrade(db, next, (migration) => existsSync(copyOf(migration)));
  if (earlier !== undefined) return copyOf(earlier);
  const copy = copyOf(next);
  const unfinished = `${file}.before.partial`;
  try {
    await copyDatabase(file, unfinished, disk);
  } catch (error) {
    removeDatabase(unfinished);
    if (!(error instanceof DiskFullError)) throw error;
    throw new Error(
      `There is no room for the copy of the database that is made before an upgrade. ${error.message} Or back up elsewhere, and start once with BACKUP_BEFORE_UPGRADE=false.`,
      { cause: error },
    );
  }
  renameSync(unfinished, copy);
  removeOldCopies(file);
  return copy;
}

/**
 * Returns the first migration of the upgrade that stopped at `next`, by which its copy is named. The upgrade may have
 * applied some migrations before it stopped.
 */
async function findInterruptedUpgrade(
  db: Kysely<Schema>,
  next: string,
  hasCopy: (migration: string) => boolean,
): Promise<string | undefined> {
  const versions = await readVersions(db);
  const writer = versions.get(next);
  if (writer === undefined) return undefined;
  return Object.keys(migrations).findLast((name) => name <= next && versions.get(name) === writer && hasCopy(name));
}

function removeOldCopies(file: string): void {
  const folder = dirname(file);
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.before-`))
    .map((name) => join(folder, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const copy of copies.slice(BACKUPS_KEPT)) removeDatabase(copy);
}

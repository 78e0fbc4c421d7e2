import { existsSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../../config.ts';
import { readKeyRing } from '../../db/key-ring.ts';
import { type Database, getDatabaseFile } from '../../db/open-database.ts';
import { type KeySource, loadMasterKeys } from '../../platform/secrets/master-key.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';

/** Command of the operator: `npm run switchyard -- <name> …`. */
export interface Command {
  /** Options and arguments, as the usage shows them. */
  readonly syntax?: string;
  /** Summary of the command in one line. */
  readonly summary: string;
  /**
   * Runs the command and prints its output. @param parameters the words after its name
   * @returns the exit code @throws with a sentence for the operator
   */
  run(config: Config, parameters: readonly string[]): Promise<number>;
}

/**
 * @returns a file, or an address of PostgreSQL @throws if there is no database yet, because a command creates none
 */
export function requireDatabase(config: Config): string {
  return config.databaseUrl ?? requireFile(config);
}

/**
 * Returns the database file for commands that work on a file only, because PostgreSQL has its own tools.
 * @param instead what the operator does with PostgreSQL
 */
export function requireDatabaseFile(config: Config, instead: string): string {
  if (config.databaseUrl !== undefined) throw new Error(`The database is the PostgreSQL of DATABASE_URL: ${instead}`);
  return requireFile(config);
}

function requireFile(config: Config): string {
  const file = getDatabaseFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`There is no database at ${file}. Set DATA_DIR, or start the server once.`);
  return file;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the parameters after a command's name.
 * @throws with a sentence for the person who typed it
 */
export function readParameters<const O extends Options>(
  parameters: readonly string[],
  options: O,
  positionalsMax: number,
) {
  const parse = () => parseArgs({ args: [...parameters], options, allowPositionals: true, strict: true });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    throw describeUnknownOption(error, options) ?? error;
  }
  const extra = parsed.positionals[positionalsMax];
  if (extra !== undefined) throw new Error(`Unexpected argument “${extra}”`);
  return parsed;
}

function describeUnknownOption(error: unknown, options: Options): Error | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')) return undefined;
  const name = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const known = Object.keys(options).map((option) => `--${option}`);
  const advice = known.length === 0 ? 'This command has no options.' : `This command has: ${known.join(', ')}.`;
  return new Error(`Unknown option ${name}. ${advice}`, { cause: error });
}

/**
 * Checks the leases in the database, because each of several nodes has its own data folder.
 * @throws when a node has a lease
 */
export async function requireNoRunningServer({ writer }: Pick<Database, 'writer'>): Promise<void> {
  const running = await writer
    .selectFrom('node')
    .select('name')
    .where('lease_until', '>', sql<number>`unixepoch()`)
    .execute();
  if (running.length > 0)
    throw new Error(
      `These nodes are running, or were running a moment ago: ${running.map(({ name }) => name).join(', ')}. Stop them first`,
    );
}

/** Opens the vault for a command, without creating keys. */

/** @throws if there is no master key, neither in MASTER_KEY nor beside the database, or it is wrong */
export function openVault(source: KeySource, db: Kysely<Schema>): Promise<Vault> {
  return readKeyRing(db, loadMasterKeys(source));
}

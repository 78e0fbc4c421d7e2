import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { getDatabaseFile } from '../../db/db.ts';

/** Something that the operator runs: `npm run switchyard -- <name> …`. */
export interface Command {
  /** Its options and arguments, as the usage shows them. */
  readonly syntax?: string;
  /** Summary of what the command does, in one line. */
  readonly summary: string;
  /**
   * Prints what it has to say. @param parameters what stood behind its name
   * @returns the exit code @throws with a sentence for the operator
   */
  run(config: Config, parameters: readonly string[]): Promise<number>;
}

/** @returns a file, or an address of PostgreSQL @throws where there is no database yet: a command makes none */
export function requireDatabase(config: Config): string {
  return config.databaseUrl ?? requireFile(config);
}

/**
 * Returns the database file for commands that work on a file only, because PostgreSQL has its own tools.
 * @param instead what the operator does with PostgreSQL
 */
export function requireDatabaseFile(config: Config, instead: string): string {
  if (config.databaseUrl !== undefined)
    throw new Error(`The database is the PostgreSQL of DATABASE_URL: ${instead}`);
  return requireFile(config);
}

function requireFile(config: Config): string {
  const file = getDatabaseFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`There is no database at ${file}`);
  return file;
}

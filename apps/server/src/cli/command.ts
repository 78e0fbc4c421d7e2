import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** Something that the operator runs: `npm run switchyard -- <name> …`. */
export interface Command {
  /** Its options and arguments, as the usage shows them. */
  readonly syntax?: string;
  /** What it does, in one line. */
  readonly summary: string;
  /**
   * Prints what it has to say. @param parameters what stood behind its name
   * @returns the exit code @throws with a sentence for the operator
   */
  run(config: Config, parameters: readonly string[]): Promise<number>;
}

/** @throws where there is no database yet: a command makes none */
export function existingDatabase(config: Config): string {
  const file = join(config.dataDir, 'switchyard.db');
  if (!existsSync(file)) throw new Error(`There is no database at ${file}`);
  return file;
}

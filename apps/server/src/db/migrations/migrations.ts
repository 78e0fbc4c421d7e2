import type { Migration } from 'kysely/migration';
import { up as foundation } from './0001-foundation.ts';

/** In order; only ever appended to. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
};

import type { Migration } from 'kysely/migration';
import { up as foundation } from './0001-foundation.ts';
import { up as priceVersions } from './0002-price-versions.ts';

/** In order; only ever appended to. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0002-price-versions': { up: priceVersions },
};

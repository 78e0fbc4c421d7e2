import { createContext, useContext } from 'react';
import { z } from 'zod';
import { useStoredPreference } from '../browser/stored-preference.ts';

/** Context with the owner of the preferences, since users who share a browser keep separate columns. */
export const PreferenceOwner = createContext('');

const shape = z.object({ hidden: z.record(z.string(), z.boolean()), widths: z.record(z.string(), z.number()) });
type TablePreferences = z.output<typeof shape>;

const initial: TablePreferences = { hidden: {}, widths: {} };

function accepts(value: unknown): value is TablePreferences {
  return shape.safeParse(value).success;
}

/** Returns a user's hidden columns and column widths of a table. */
export function useTablePreferences(table: string) {
  const owner = useContext(PreferenceOwner);
  return useStoredPreference(`table:${owner}:${table}`, initial, accepts);
}

export type Density = 'dense' | 'comfortable';
export const rowHeights: Record<Density, number> = { dense: 40, comfortable: 52 };

function isDensity(value: unknown): value is Density {
  return value === 'dense' || value === 'comfortable';
}

/** Returns the row height, which is the same for all tables of a user. */
export function useDensity() {
  const owner = useContext(PreferenceOwner);
  return useStoredPreference<Density>(`density:${owner}`, 'dense', isDensity);
}

import { expect } from 'vitest';
import { openPostgresPool } from './database-server.ts';

/** Resolves once sessions wait for locks in the PostgreSQL database at `uri`. */
export async function waitUntilLocked(uri: string, sessions = 1): Promise<void> {
  const pool = openPostgresPool(uri);
  const waiting = async (): Promise<number> => {
    const { rows } = await pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
       where not granted and datname = current_database()`,
    );
    return rows[0]?.waiting ?? 0;
  };
  await expect.poll(waiting, { interval: 5 }).toBeGreaterThanOrEqual(sessions);
  await pool.end();
}

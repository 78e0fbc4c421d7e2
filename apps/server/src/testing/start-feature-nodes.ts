/** Small servers (`start-feature-app.ts`) on one PostgreSQL database, each with a data folder of its own. */
import { randomBytes } from 'node:crypto';
import { databaseFor } from '../../../../tests/test-database.ts';
import { createDatabase, startPostgres } from './database-server.ts';
import { type FeatureApp, type FeatureAppOptions, type Part, startFeatureApp } from './start-feature-app.ts';

export interface FeatureNodes {
  first: FeatureApp;
  second: FeatureApp;
  close(): Promise<void>;
}

let databases = 0;

/** @returns undefined where this machine has no PostgreSQL */
export async function startFeatureNodes(
  parts: readonly Part[],
  options: FeatureAppOptions = {},
): Promise<FeatureNodes | undefined> {
  databases += 1;
  const known = await databaseFor(`feature nodes ${process.pid} ${databases}`);
  const server = known === undefined ? await startPostgres() : undefined;
  const databaseUrl = known ?? (server && (await createDatabase(server, 'nodes')));
  if (databaseUrl === undefined) return undefined;
  const masterKey = randomBytes(32).toString('base64');
  const ofNode = { ...options, config: { databaseUrl, masterKey, ...options.config } };
  const first = await startFeatureApp(parts, ofNode);
  const second = await startFeatureApp(parts, ofNode);
  return {
    first,
    second,
    async close() {
      await second.close();
      await first.close();
      await server?.close();
    },
  };
}

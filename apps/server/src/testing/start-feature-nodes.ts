/** Starts small servers (`start-feature-app.ts`) on one PostgreSQL database, each with a separate data folder. */
import { randomBytes } from 'node:crypto';
import { createMigratedDatabase, sharedPostgres } from './shared-servers.ts';
import { type FeatureApp, type FeatureAppOptions, type Part, startFeatureApp } from './start-feature-app.ts';

export interface FeatureNodes {
  first: FeatureApp;
  second: FeatureApp;
  close(): Promise<void>;
}

/** @returns undefined if PostgreSQL is not installed */
export async function startFeatureNodes(
  parts: readonly Part[],
  options: FeatureAppOptions = {},
): Promise<FeatureNodes | undefined> {
  const server = await sharedPostgres();
  if (server === undefined) return undefined;
  const databaseUrl = await createMigratedDatabase(server);
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
    },
  };
}

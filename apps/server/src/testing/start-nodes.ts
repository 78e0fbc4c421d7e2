/** Starts two servers on one PostgreSQL database, each with a separate data folder. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { type RelayScene, startRelayScene } from './relay-scene.ts';
import { createMigratedDatabase, sharedPostgres } from './shared-servers.ts';
import { type FeatureApp, type FeatureAppOptions, type Part, startFeatureApp } from './start-feature-app.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';

/** Returns the configuration that nodes on a new database share; undefined if PostgreSQL is not installed. */
async function createSharedConfig(): Promise<Partial<Config> | undefined> {
  const server = await sharedPostgres();
  if (server === undefined) return undefined;
  return { databaseUrl: await createMigratedDatabase(server), masterKey: randomBytes(32).toString('base64') };
}

export interface Nodes {
  /** Server with a user who has a balance and a key. */
  first: RelayScene;
  second: TestApp;
  /** Starts another server, which the caller closes. */
  start(options?: TestAppOptions): Promise<TestApp>;
  close(): Promise<void>;
}

/**
 * @param dataDirs existing folders, which are not removed; otherwise new ones @returns undefined if PostgreSQL is not
 * installed
 */
export async function startNodes(
  options: TestAppOptions = {},
  dataDirs: readonly string[] = [],
): Promise<Nodes | undefined> {
  const shared = await createSharedConfig();
  if (shared === undefined) return undefined;
  const ofNode = (more: TestAppOptions): TestAppOptions => ({
    ...options,
    ...more,
    config: { ...shared, ...options.config, ...more.config },
  });
  const [one, two] = dataDirs.map((dataDir) => ({ dataDir }));
  const first = await startRelayScene(ofNode(one ?? {}));
  const second = await startTestApp(ofNode(two ?? {}));
  return {
    first,
    second,
    start: (more = {}) => startTestApp(ofNode(more)),
    async close() {
      await second.close();
      await first.close();
    },
  };
}

/** Two small servers (`start-feature-app.ts`). */
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
  const shared = await createSharedConfig();
  if (shared === undefined) return undefined;
  const ofNode = { ...options, config: { ...shared, ...options.config } };
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

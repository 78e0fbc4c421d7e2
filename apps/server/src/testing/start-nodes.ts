/** Starts two servers on one PostgreSQL database, each with a separate data folder. */
import { randomBytes } from 'node:crypto';
import { type RelayScene, startRelayScene } from './relay-scene.ts';
import { createMigratedDatabase, sharedPostgres } from './shared-servers.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';

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
  const server = await sharedPostgres();
  if (server === undefined) return undefined;
  const databaseUrl = await createMigratedDatabase(server);
  const masterKey = randomBytes(32).toString('base64');
  const ofNode = (more: TestAppOptions): TestAppOptions => ({
    ...options,
    ...more,
    config: { databaseUrl, masterKey, ...options.config, ...more.config },
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

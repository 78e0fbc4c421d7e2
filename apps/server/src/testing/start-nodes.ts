/** Two servers on one PostgreSQL database, each with a data folder of its own. */
import { randomBytes } from 'node:crypto';
import { type RelayScene, startRelayScene } from './relay-scene.ts';
import { createMigratedDatabase, sharedPostgres } from './shared-servers.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';

export interface Nodes {
  /** Has a user with money and a key. */
  first: RelayScene;
  second: TestApp;
  /** Starts another one. Whoever starts it closes it. */
  start(options?: TestAppOptions): Promise<TestApp>;
  close(): Promise<void>;
}

/** @param dataDirs theirs, kept afterwards; otherwise new ones @returns undefined where this machine has no PostgreSQL */
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

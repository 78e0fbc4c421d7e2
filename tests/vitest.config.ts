import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '..');

/** The product starts in hooks, beside whatever else the machine does. */
const HOOK_TIMEOUT_MS = 180_000;
const POSTGRES_SERVER = 'tests/postgres-server.ts';
const common = {
  root,
  /** What is waited for comes at once on a quiet machine, and only what never comes takes this long. */
  expect: { poll: { timeout: 15_000 } },
  hookTimeout: HOOK_TIMEOUT_MS,
  /** Whatever starts the product then starts it on PostgreSQL. */
  ...(process.env['TEST_DATABASE'] === 'postgres' ? { globalSetup: POSTGRES_SERVER } : {}),
};
/** Security's tests that need a browser and the built console. */
const inBrowser = 'no-script|custom-page';

/** They are about the file of one node: what commands do with it, and how its tables became what they are. */
const aboutTheFile = ['backup/**', 'cli/!(import-installation).test.ts', 'db/migrations/**'];

/** Security's tests that call whatever there is to call. */
const throughAllRoutes = ['audit', 'impersonation', 'no-get-writes', 'secrets'].map(
  (name) => `tests/security/${name}.test.ts`,
);

/** Tests of the server that start it, or a part of it that has a database. */
function withServer(): string[] {
  const left = aboutTheFile.map((files) => `apps/server/src/${files}`);
  return globSync('apps/server/src/**/*.test.ts', { cwd: root, exclude: left }).filter((file) =>
    /\/testing\/[\w-]*(?:test-app|scene|nodes|books)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  );
}

/**
 * `unit`: beside the code, in process, no browser; part of `npm run check`.
 * `postgres`: those of the server with each of its databases on PostgreSQL; `TEST_DATABASE=postgres` puts all others there.
 * The other projects need the built product, a browser or minutes; `npm test` runs them all.
 */
export default defineConfig({
  root,
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: [
            'packages/**/*.test.ts',
            'apps/server/**/*.test.ts',
            'tests/*.test.ts',
            'tests/scripted-upstream/*.test.ts',
            'bench/**/*.test.ts',
          ],
          environment: 'node',
          // Every test has a server and a data folder of its own, so that files may share what is loaded.
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'postgres',
          include: [...withServer(), ...throughAllRoutes],
          globalSetup: POSTGRES_SERVER,
          environment: 'node',
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          // Its long tier takes an hour in some tests.
          testTimeout: process.env['FAULTS_TIER'] === 'long' ? 7_200_000 : 300_000,
        },
      },
      {
        test: {
          ...common,
          name: 'security',
          include: [`tests/security/**/!(${inBrowser}).test.ts`],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...common,
          name: 'deploy',
          include: ['tests/deploy/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts', `tests/security/@(${inBrowser}).test.ts`],
          testTimeout: 180_000,
        },
      },
    ],
  },
});

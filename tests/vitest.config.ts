import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '..');

/** The product starts in hooks, beside whatever else the machine does. */
const HOOK_TIMEOUT_MS = 180_000;
/** Of projects that run side by side; those that measure have one to themselves. */
const MAX_WORKERS = 3;
const SQLITE_TEMPLATE = 'tests/sqlite-template.ts';
const POSTGRES_SERVER = 'tests/postgres-server.ts';
const onPostgres = { globalSetup: POSTGRES_SERVER, setupFiles: ['tests/use-postgres.ts'] };
const common = {
  root,
  /** What is waited for comes at once on a quiet machine, and only what never comes takes this long. */
  expect: { poll: { timeout: 15_000 } },
  hookTimeout: HOOK_TIMEOUT_MS,
  maxWorkers: MAX_WORKERS,
  /** Whatever starts the product starts it with a copy of one migrated database, or on PostgreSQL. */
  ...(process.env['TEST_DATABASE'] === 'postgres' ? onPostgres : { globalSetup: SQLITE_TEMPLATE }),
};
const alone = { maxWorkers: 1, fileParallelism: false, sequence: { groupOrder: 1 } };

/** Files whose tests measure time or memory of this machine: they run one after the other, when the others are done. */
const measuring = [
  ...testsIn('security', [
    'bombs',
    'guessing',
    'hostile-credentials',
    'lost-rights',
    'lost-sessions',
    'slow-client',
  ]),
  ...testsIn('faults', [
    'dependencies',
    'interrupted-streams',
    'never-locked',
    'redeem',
    'removal',
    'self-check',
    'shutdown',
    'silent-upstream',
    'slow-lists',
    'storm',
    'stream-memory',
  ]),
  ...testsIn('e2e', ['responsiveness']),
];

/** Tests of security that call every route there is. */
const sweeping = testsIn('security', ['audit', 'impersonation', 'no-get-writes', 'secrets']);

/** Tests of security in a browser, with the built console. */
const inBrowser = testsIn('security', ['no-script', 'custom-page']);

/** They are about the file of one node: what commands do with it, and how its tables became what they are. */
const aboutTheFile = ['backup/**', 'cli/!(import-installation).test.ts', 'db/migrations/**'].map(
  (files) => `apps/server/src/${files}`,
);

const server = globSync('apps/server/src/**/*.test.ts', { cwd: root });
const withDatabase = server.filter((file) => opensDatabase(join(root, file)));

function testsIn(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `tests/${folder}/${name}.test.ts`);
}

/** Whether a test opens a database, itself or by what it imports of `testing/`. */
function opensDatabase(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (/\b(openDatabase|openContext|buildApp|startPostgres|startMariadb|startRedis|DatabaseSync)\(/.test(text))
    return true;
  return [...text.matchAll(/from '(\.[^']*\/testing\/[^']+|\.\/[^']+)'/g)].some(([, path = '']) => {
    const next = resolve(dirname(file), path);
    return relative(root, next).includes('/testing/') && opensDatabase(next);
  });
}

/**
 * Everything but PostgreSQL's whole matrix and the pictures is what `npm test` runs, all projects in one run. `npm run check`
 * runs `pure` and what is related to a change.
 */
export default defineConfig({
  root,
  test: {
    maxWorkers: MAX_WORKERS,
    projects: [
      {
        // In process, without a database or a browser.
        test: {
          ...common,
          name: 'pure',
          include: [
            'packages/**/*.test.ts',
            'apps/server/**/*.test.ts',
            'tests/*.test.ts',
            'tests/scripted-upstream/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: withDatabase,
          environment: 'node',
          isolate: false,
          globalSetup: [],
          testTimeout: 60_000,
        },
      },
      {
        // The server or a part of it, each test with a data folder of its own, so that files may share what is loaded.
        test: {
          ...common,
          name: 'server',
          include: withDatabase,
          environment: 'node',
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          ...onPostgres,
          name: 'postgres',
          include: [...withDatabase, ...sweeping],
          exclude: aboutTheFile,
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
          name: 'security',
          include: ['tests/security/**/*.test.ts'],
          exclude: [...inBrowser, ...measuring],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...common,
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          exclude: measuring,
          // Its long tier takes an hour in some tests.
          testTimeout: process.env['FAULTS_TIER'] === 'long' ? 7_200_000 : 300_000,
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
          include: ['tests/e2e/**/*.test.ts', ...inBrowser],
          exclude: measuring,
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...common,
          ...alone,
          name: 'measured',
          include: measuring,
          testTimeout: process.env['FAULTS_TIER'] === 'long' ? 7_200_000 : 300_000,
        },
      },
      'apps/console/vitest.config.ts',
    ],
  },
});

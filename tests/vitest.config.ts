import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import consolePages, { functions as consoleFunctions } from '../apps/console/vitest.config.ts';

const root = join(import.meta.dirname, '..');

/** Longer than any test or hook on a busy machine, unless it hangs. */
const TIMEOUT_MS = 300_000;
/** Workers of concurrent projects; measuring projects use one. */
const MAX_WORKERS = 4;
const SQLITE_TEMPLATE = 'tests/sqlite-template.ts';
const POSTGRES_SERVER = 'tests/postgres-server.ts';
const SHARED_SERVERS = 'tests/shared-servers.ts';
const onPostgres = { globalSetup: [POSTGRES_SERVER, SHARED_SERVERS], setupFiles: ['tests/use-postgres.ts'] };
const common = {
  root,
  /** Longer than any condition on a busy machine, unless it never becomes true. */
  expect: { poll: { timeout: 60_000 } },
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  maxWorkers: MAX_WORKERS,
  /** Tests' servers start with a copy of one migrated SQLite database; with `TEST_DATABASE=postgres`, on PostgreSQL. */
  ...(process.env['TEST_DATABASE'] === 'postgres' ? onPostgres : { globalSetup: [SQLITE_TEMPLATE, SHARED_SERVERS] }),
};
const alone = { maxWorkers: 1, fileParallelism: false, sequence: { groupOrder: 1 } };

/**
 * Files whose tests measure time or memory of this machine: they run one after the other, after the others. Those
 * that have a full size run in the full run only, and not a second time at their short size.
 */
const measuring = [
  ...testsIn('security', ['guessing']),
  ...testsIn('faults', [
    'anonymous-calls',
    'batch-memory',
    'dependencies',
    'interrupted-streams',
    'large-responses',
    'many-small',
    'never-locked',
    'removal',
    'shutdown',
    'silent-upstream',
    'stream-memory',
  ]),
  ...testsIn('e2e', ['responsiveness']),
];

/** Tests of security that call every route. */
const sweeping = testsIn('security', ['audit', 'impersonation', 'no-get-writes', 'secrets']);

/** Tests of security in a browser, with the built console. */
const inBrowser = testsIn('security', ['no-calls', 'no-script', 'custom-page']);

/** Long faults, and sweeps of all screens, that run in the full run only. */
const long = [
  ...testsIn('faults', ['nodes', 'paused-node', 'storm']),
  ...testsIn('e2e', ['accessibility', 'everywhere', 'lists']),
  ...testsIn('security', ['no-script']),
];

/** Compares the main screens with their accepted pictures. */
const pictures = testsIn('e2e', ['appearance']);

/** Tests of the SQLite file itself: backups, commands and migrations of it. */
const aboutTheFile = ['operations/backup/**', 'tools/cli/!(import-installation).test.ts', 'db/migrations/**'].map(
  (files) => `apps/server/src/${files}`,
);

const server = globSync('apps/server/src/**/*.test.ts', { cwd: root });
const withDatabase = server.filter((file) => opensDatabase(join(root, file)));

function testsIn(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `tests/${folder}/${name}.test.ts`);
}

/** Returns whether a test opens a database, directly or through an import from `testing/`. */
function opensDatabase(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (
    /\b(openDatabase|openContext|buildApp|startPostgres|startMariadb|sharedPostgres|sharedMariadb|startRedis|DatabaseSync)\(/.test(
      text,
    )
  )
    return true;
  return [...text.matchAll(/from '(\.[^']*\/testing\/[^']+|\.\/[^']+)'/g)].some(([, path = '']) => {
    const next = resolve(dirname(file), path);
    return relative(root, next).includes('/testing/') && opensDatabase(next);
  });
}

/** Tests that have a full size besides the short one; `TEST_SIZE` chooses. */
const sized = globSync('tests/**/*.test.ts', { cwd: root }).filter((file) =>
  /\/axe\.ts'|\b(pick|sampleOf|momentOf)\(/.test(readFileSync(join(root, file), 'utf8')),
);
/** Tests that `npm test` leaves to the full run; with `TEST_SIZED=later`, also those that it would run at their short size. */
const leftToFullRun = [...long, ...(process.env['TEST_SIZED'] === 'later' ? sized : [])];
const inFullRun = [...new Set([...sized, ...long])];
const isMeasuring = (file: string): boolean => measuring.includes(file);
const needsBrowser = (file: string): boolean => file.startsWith('tests/e2e/') || inBrowser.includes(file);
const LONGER_TIMEOUTS_MS = new Map([
  ['full', 900_000],
  ['long', 7_200_000],
]);
const sizedTimeout = LONGER_TIMEOUTS_MS.get(process.env['TEST_SIZE'] ?? 'short') ?? TIMEOUT_MS;

/**
 * `npm test` runs the everyday projects at once. `npm run test:full` runs the others: the server's tests on PostgreSQL,
 * the pictures, and tests that have a full size. `npm run check` runs the pure projects and the tests related to a
 * change. `scripts/test.ts` assigns projects to tiers.
 */
export default defineConfig({
  root,
  test: {
    maxWorkers: MAX_WORKERS,
    // A change of this file is related to no test; `npm test` runs them all.
    forceRerunTriggers: ['**/package.json'],
    projects: [
      {
        // Tests in process, without a database or a browser.
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
          exclude: ['**/node_modules/**', ...withDatabase],
          environment: 'node',
          isolate: false,
          globalSetup: [],
          setupFiles: [],
        },
      },
      {
        // The server or a part of it, each test with its own data folder, so that files may share loaded modules.
        test: {
          ...common,
          name: 'server',
          include: withDatabase,
          environment: 'node',
          isolate: false,
          setupFiles: ['tests/explain-statements.ts'],
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
        },
      },
      {
        // Behaviour that can differ between the two databases, on both of them.
        test: { ...common, name: 'engines', include: ['tests/engines/**/*.test.ts'], isolate: false },
      },
      {
        test: {
          ...common,
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts'],
          exclude: leftToFullRun,
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'security',
          include: ['tests/security/**/*.test.ts'],
          exclude: [...inBrowser, ...measuring, ...leftToFullRun],
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          exclude: [...measuring, ...leftToFullRun],
          isolate: false,
          testTimeout: sizedTimeout,
        },
      },
      { test: { ...common, name: 'deploy', include: ['tests/deploy/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts', ...inBrowser],
          exclude: [...measuring, ...pictures, ...leftToFullRun],
          isolate: false,
        },
      },
      { test: { ...common, name: 'pictures', include: pictures, isolate: false } },
      {
        test: {
          ...common,
          ...alone,
          name: 'measured',
          include: measuring.filter((file) => !needsBrowser(file) && !sized.includes(file)),
          testTimeout: sizedTimeout,
        },
      },
      {
        test: {
          ...common,
          ...alone,
          name: 'measured-browser',
          include: measuring.filter(needsBrowser),
          testTimeout: sizedTimeout,
        },
      },
      {
        test: {
          ...common,
          name: 'full-size',
          include: inFullRun.filter((file) => !isMeasuring(file) && !needsBrowser(file)),
          isolate: false,
          testTimeout: sizedTimeout,
        },
      },
      {
        test: {
          ...common,
          name: 'full-size-browser',
          include: inFullRun.filter((file) => !isMeasuring(file) && needsBrowser(file)),
          isolate: false,
          testTimeout: sizedTimeout,
        },
      },
      {
        test: {
          ...common,
          ...alone,
          name: 'full-size-measured',
          include: sized.filter(isMeasuring),
          testTimeout: sizedTimeout,
        },
      },
      consoleFunctions,
      consolePages,
    ],
  },
});

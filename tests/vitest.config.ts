import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '..');

/** The product starts in hooks, beside whatever else the machine does. */
const HOOK_TIMEOUT_MS = 180_000;
/** What is waited for comes at once on a quiet machine, and only what never comes takes this long. */
const patient = { expect: { poll: { timeout: 15_000 } } };
/** Security's tests that need a browser and the built console. */
const inBrowser = ['tests/security/no-script.test.ts', 'tests/security/custom-page.test.ts'];

/**
 * `unit`: beside the code, in process, no browser; part of `npm run check`.
 * The other projects need the built product, a browser or minutes; `npm test` runs them all.
 */
export default defineConfig({
  root,
  test: {
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          root,
          include: [
            'packages/**/*.test.ts',
            'apps/server/**/*.test.ts',
            'tests/*.test.ts',
            'tests/scripted-upstream/*.test.ts',
          ],
          environment: 'node',
          // Every test has a server and a data folder of its own, so that files may share what is loaded.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...patient,
          name: 'postgres',
          root,
          include: ['apps/server/**/*.test.ts'],
          globalSetup: 'tests/postgres-server.ts',
          environment: 'node',
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...patient,
          name: 'conformance',
          root,
          include: ['tests/conformance/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...patient,
          name: 'faults',
          root,
          include: ['tests/faults/**/*.test.ts'],
          // Its long tier takes an hour in some tests.
          hookTimeout: HOOK_TIMEOUT_MS,
          testTimeout: process.env['FAULTS_TIER'] === 'long' ? 7_200_000 : 300_000,
        },
      },
      {
        test: {
          ...patient,
          name: 'security',
          root,
          include: ['tests/security/**/*.test.ts'],
          exclude: inBrowser,
          testTimeout: 120_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...patient,
          name: 'deploy',
          root,
          include: ['tests/deploy/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...patient,
          name: 'e2e',
          root,
          include: ['tests/e2e/**/*.test.ts', ...inBrowser],
          testTimeout: 180_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
    ],
  },
});

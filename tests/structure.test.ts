/** Rules for folders that no compiler checks. Each rule also fails if it found too little to check. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providers } from '../packages/relay/src/providers.ts';

const root = join(import.meta.dirname, '..');
const LINES_MAX = 500;
const DEPTH_MAX = 4;
const FILES_MAX = 25;
/** Folders whose files are all of one kind may hold any number of them. */
const ONE_KIND = /\/(providers|processors|migrations|senders|templates|locales|i18n|icons|logos|decoders|encoders)$/;
/** Folders of the server that hold one folder for each feature; contract and console have the same. */
const WINGS = ['accounts', 'billing', 'catalog', 'operations', 'usage'];

/** Paths from the repository's root. */
function filesBelow(folder: string, pattern = /\.tsx?$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/node_modules|\/dist\/|\.gen\./.test(path))
    .toSorted();
}

function foldersIn(folder: string): Set<string> {
  if (!existsSync(join(root, folder))) return new Set();
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name));
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || path.includes('/testing/');

/** Contract files that are a shared vocabulary of the others. */
const vocabulary = new Set([
  'account-fields',
  'custom-page',
  'device-name',
  'monitoring-settings',
  'normalize-legacy-token-limits',
  'notification-target-types',
  'payment-provider-types',
  'permissions',
  'price-rates',
  'setting-schemas',
  'top-up-cost-and-currencies',
]);

/** Features whose other half has no folder of the same name, and why. */
const withoutServerFolder: Readonly<Record<string, string>> = {};
const withoutConsoleFolder: Readonly<Record<string, string>> = {
  'accounts/invitations': 'a card on the screen where balance is bought: features/billing/top-up',
  'operations/site-info': 'every screen reads it; it belongs to the site, under features/site',
};

describe('features', () => {
  const contracts = WINGS.flatMap((wing) =>
    filesBelow(`packages/contract/src/${wing}`)
      .filter((path) => !isTest(path))
      .map((path) => `${wing}/${basename(path, '.ts')}`),
  );
  const features = contracts.filter((name) => !vocabulary.has(basename(name)));
  const inWings = (folder: string): Set<string> =>
    new Set(WINGS.flatMap((wing) => [...foldersIn(`${folder}/${wing}`)].map((name) => `${wing}/${name}`)));
  const server = inWings('apps/server/src');
  const console = inWings('apps/console/src/features');

  test('have one name in contract, server and console', () => {
    expect(features.length).toBeGreaterThan(30);
    expect(features.filter((name) => !server.has(name) && !(name in withoutServerFolder))).toEqual([]);
    expect(features.filter((name) => !console.has(name) && !(name in withoutConsoleFolder))).toEqual([]);
  });

  test('have no needless exceptions', () => {
    const files = new Set(contracts.map((name) => basename(name)));
    expect([...vocabulary].filter((name) => !files.has(name))).toEqual([]);
    expect(Object.keys(withoutServerFolder).filter((name) => server.has(name))).toEqual([]);
    expect(Object.keys(withoutConsoleFolder).filter((name) => console.has(name))).toEqual([]);
  });

  test('have an entry point on the server: routes, a table or the file with their name', () => {
    expect(server.size).toBeGreaterThan(30);
    for (const name of server) {
      const files = filesBelow(`apps/server/src/${name}`, /./).map((path) => basename(path));
      const front = new Set(['routes.ts', 'table.ts', `${basename(name)}.ts`]);
      expect(
        files.some((file) => front.has(file)),
        `${name} has no front door`,
      ).toBe(true);
    }
  });

  test('have one level of sub-folders at most', () => {
    const wings = WINGS.flatMap((wing) =>
      filesBelow(`apps/server/src/${wing}`).map((path) => path.split(`/${wing}/`)[1] ?? ''),
    );
    expect(wings.filter((path) => path.split('/').length > 4)).toEqual([]);
  });

  test('keep each test beside the file whose name it begins with', () => {
    const tests = filesBelow('apps/server/src').filter((path) => path.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(5);
    const alone = tests.filter((path) => {
      const [stem = ''] = basename(path).split('.');
      const neighbours = readdirSync(join(root, dirname(path)));
      return (
        ![`${stem}.ts`, `${stem}.json`].some((name) => neighbours.includes(name)) && stem !== basename(dirname(path))
      );
    });
    expect(alone).toEqual([]);
  });
});

describe('source files', () => {
  const sources = ['packages', 'apps', 'scripts', 'bench'].flatMap((folder) => filesBelow(folder));

  test(`have at most ${LINES_MAX} lines`, () => {
    expect(sources.length).toBeGreaterThan(100);
    const lines = (path: string): number => read(path).split('\n').length - 1;
    expect(sources.filter((path) => !isTest(path) && lines(path) > LINES_MAX)).toEqual([]);
  });

  test(`share a folder with at most ${FILES_MAX - 1} others, unless all are of one kind`, () => {
    const folders = Map.groupBy(
      sources.filter((path) => !isTest(path) && !path.endsWith('.samples.ts')),
      (path) => dirname(path),
    );
    expect(folders.size).toBeGreaterThan(100);
    const crowded = [...folders].filter(([folder, files]) => files.length > FILES_MAX && !ONE_KIND.test(folder));
    expect(crowded.map(([folder, files]) => `${files.length} files in ${folder}`)).toEqual([]);
  });

  test(`are at most ${DEPTH_MAX} folders below src`, () => {
    const depth = (path: string): number => (path.split('/src/')[1] ?? '').split('/').length - 1;
    expect(sources.filter((path) => depth(path) > DEPTH_MAX)).toEqual([]);
  });

  test('have specific names', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|shared|lib|types|constants|index)(\/|\.tsx?$)/;
    expect(sources.filter((path) => vague.test(path))).toEqual([]);
  });
});

describe('the server', () => {
  const sources = filesBelow('apps/server/src').filter((path) => !isTest(path));

  test('reads the environment in config.ts only', () => {
    const readers = sources.filter((path) => /process\.env\b/.test(read(path)));
    expect(readers).toEqual(['apps/server/src/config.ts']);
  });

  test('imports no file that starts something by itself', () => {
    const starter = /(?:^|\/)(?:main|cli|demo|[\w-]+-worker)\.ts$/;
    expect(sources.filter((path) => starter.test(path)).length).toBeGreaterThan(5);
    const imported = /\bimport (?!type\b)[^;]*? from '[^']*?([\w-]+\.ts)'/g;
    const importers = ['apps', 'packages', 'tests', 'bench', 'scripts']
      .flatMap((folder) => filesBelow(folder))
      .filter((path) => [...read(path).matchAll(imported)].some(([, name = '']) => starter.test(name)));
    expect(importers).toEqual([]);
  });

  test('writes the tables of the ledger in ledger/ only', () => {
    const tables =
      'user_account|key_account|key_day|ledger_entry|ledger_alarm|hold|usage_record|usage_hour|channel_usage';
    const write = new RegExp(
      `(insertInto|updateTable|replaceInto|mergeInto|deleteFrom)\\(\\s*['"](${tables})\\b|\\b(insert into|update|delete from) "?(${tables})\\b`,
      'i',
    );
    const writers = sources.filter((path) => write.test(read(path)));
    expect(writers.filter((path) => path.startsWith('apps/server/src/ledger/')).length).toBeGreaterThan(1);
    // Old records of calls may be deleted by an administrator; balances and ledger do not change by it. A migration
    // converts rows to their new shape; a month's table is attached and detached with its rows.
    const allowed =
      /^apps\/server\/src\/(ledger\/|db\/migrations\/|db\/record-partitions\.ts$|usage\/usage-records\/remove-records\.ts$)/;
    expect(writers.filter((path) => !allowed.test(path))).toEqual([]);
  });
});

test('every provider file is registered, under an id that is its name', () => {
  const files = readdirSync(join(root, 'packages/relay/src/providers'), { withFileTypes: true })
    .filter((entry) => !entry.name.endsWith('.test.ts') && entry.name !== 'providers.ts')
    .map((entry) => entry.name.replace(/\.ts$/, ''));
  expect(files.length).toBeGreaterThan(3);
  expect(providers.map(({ id }) => id).toSorted()).toEqual(files.toSorted());
});

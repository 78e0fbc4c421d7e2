/** Imports an installation of another product with the same result on both engines. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkImportedRows,
  importIntoApp,
  sampleInstallations,
} from '../../apps/server/src/testing/import-into-app.ts';
import { writeSqliteSource } from '../../apps/server/src/testing/source-database.ts';
import { type FeatureApp, startFeatureApp } from '../../apps/server/src/testing/start-feature-app.ts';
import { engines, useTestDatabases } from './engines.ts';

const PRODUCT = 'one-hub';
const folder = mkdtempSync(join(tmpdir(), 'switchyard-engine-imports-'));
const file = join(folder, 'source.db');
beforeAll(() => writeSqliteSource(file, PRODUCT, sampleInstallations[PRODUCT]));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines of each engine's report. */
const reports = new Map<string, readonly string[]>();

describe.each(engines)('an installation on $name', (engine) => {
  const places = useTestDatabases(engine);
  const withApp = async (use: (app: FeatureApp) => Promise<void>): Promise<void> => {
    const databaseUrl = engine.kind === 'postgres' ? await places.createMigrated() : undefined;
    const app = await startFeatureApp([], { config: { databaseUrl } });
    await use(app).finally(() => app.close());
  };

  test('is imported once, completely, after a dry run that changes nothing', () =>
    withApp(async (app) => {
      const dry = await importIntoApp(app, file, PRODUCT, { dryRun: true });
      expect(await app.ctx.db.writer.selectFrom('user').selectAll().execute()).toEqual([]);
      const report = await importIntoApp(app, file, PRODUCT);
      expect(report.lines()).toEqual(dry.lines());
      await checkImportedRows(app, report);
      // The next account gets a new id.
      expect(await app.createUser('user')).toMatchObject({ id: 8 });
      const again = await importIntoApp(app, file, PRODUCT);
      for (const kind of ['user', 'key', 'channel', 'code', 'log'] as const)
        expect([kind, again.counts(kind).new]).toEqual([kind, 0]);
      reports.set(engine.name, report.lines());
    }));
});

test('the reports of both are the same', ({ skip }) => {
  const [sqlite, postgres] = engines.map(({ name }) => reports.get(name));
  if (postgres === undefined) return skip('PostgreSQL is not installed here');
  expect(postgres).toEqual(sqlite);
});

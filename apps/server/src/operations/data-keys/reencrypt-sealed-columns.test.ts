import { expect, test } from 'vitest';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { sealedColumns } from './reencrypt-sealed-columns.ts';

const { ctx } = await useFeatureApp([]);

test('every sealed column of the tables is on the list, and every one on the list exists', async () => {
  const tables = await ctx.db.writer.introspection.getTables();
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => `${table.name}.${name}`));
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(columns.filter((name) => name.endsWith('_sealed')).toSorted()).toEqual(
    listed.filter((name) => name.endsWith('_sealed')).toSorted(),
  );
  expect(listed.filter((name) => !columns.includes(name))).toEqual([]);
});

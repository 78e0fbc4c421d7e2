import { analytics, SAVED_VIEWS_MAX } from '@switchyard/contract/usage/analytics';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { analyticsRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(analytics, analyticsRoutes)]);
const [one, other] = [await app.createUser('admin'), await app.createUser('admin')];
const views = one.api(analytics);

test('a view is saved, renamed and removed by its owner', async () => {
  const created = await views.createView({ body: { name: ' Money ', search: 'split=user&model=a%252Cb' } });
  expect(await views.listViews()).toEqual([{ id: created.id, name: 'Money', search: 'split=user&model=a%252Cb' }]);
  expect(await other.api(analytics).listViews()).toEqual([]);
  const byId = { params: { id: created.id } };
  await expect(other.api(analytics).removeView(byId)).rejects.toThrow(/There is no saved view/);
  await expect(other.api(analytics).renameView({ ...byId, body: { name: 'Mine' } })).rejects.toThrow(/may not see/);
  expect(await views.renameView({ ...byId, body: { name: 'By user' } })).toMatchObject({ name: 'By user' });
  await views.removeView(byId);
  expect(await views.listViews()).toEqual([]);
});

test('two views of one name, and more than there may be, are refused', async () => {
  const created = await Promise.all(
    Array.from({ length: SAVED_VIEWS_MAX - 1 }, (_, at) => views.createView({ body: { name: `v${at}`, search: '' } })),
  );
  const [first, second] = created;
  await expect(views.createView({ body: { name: 'v0', search: '' } })).rejects.toThrow(/with this name/);
  if (first === undefined || second === undefined) throw new Error('no view was made');
  await expect(views.renameView({ params: { id: first.id }, body: { name: 'v1' } })).rejects.toThrow(/with this name/);
  await views.renameView({ params: { id: first.id }, body: { name: 'v0' } });
  await views.createView({ body: { name: 'last', search: '' } });
  await expect(views.createView({ body: { name: 'more', search: '' } })).rejects.toThrow(/Remove one/);
});

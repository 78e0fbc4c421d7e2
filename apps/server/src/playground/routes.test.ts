import { playground } from '@switchyard/contract/playground/playground';
import { expect, test } from 'vitest';
import { insertUsageRecords } from '../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../testing/start-feature-app.ts';
import { playgroundRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(playground, playgroundRoutes)]);

test('returns the cost of the user’s own response once it is settled, and none of others', async () => {
  const user = await app.createUser('user');
  const other = await app.createUser('admin');
  const call = { params: { request_id: 'in-playground' } };
  expect(await user.api(playground).record(call)).toBeNull();
  await insertUsageRecords(app.ctx, user.id, [{ request_id: 'in-playground', quota: 12, prompt_tokens: 3 }]);
  expect(await user.api(playground).record(call)).toMatchObject({ quota: 12, prompt_tokens: 3 });
  expect(await other.api(playground).record(call)).toBeNull();
});

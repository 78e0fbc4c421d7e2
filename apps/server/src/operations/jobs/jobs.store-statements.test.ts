import { expect, test } from 'vitest';
import { setOptions } from '../../testing/set-options.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { storeStatements } from './jobs.ts';

const app = await useFeatureApp([], { now: Date.UTC(2026, 9, 30) });

test('statements of last month are made where the operator wants them', async () => {
  await app.createUser('user', { quota: 1 });
  app.clock.set(Date.UTC(2026, 10, 1, 1));
  const count = async () => (await app.ctx.db.writer.selectFrom('statement').select('month').execute()).length;
  await setOptions(app.ctx, { UserInvoiceMonth: 'false' });
  await storeStatements(app.ctx);
  expect(await count()).toBe(0);
  await setOptions(app.ctx, { UserInvoiceMonth: 'true' });
  await storeStatements(app.ctx);
  expect(await count()).toBe(1);
});

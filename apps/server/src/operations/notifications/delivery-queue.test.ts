import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notifications } from '@switchyard/contract/operations/notifications';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Reply, startTestVendor } from '../../testing/simulated-vendor.ts';
import { runInBackground, serveRoutes, startFeatureApp } from '../../testing/start-feature-app.ts';
import { startDeliveryQueue } from './notifications.ts';
import { notifyUser } from './queue-notifications.ts';
import { notificationRoutes } from './routes.ts';

const HOOK = 'https://hooks.example';
const parts = [runInBackground(startDeliveryQueue), serveRoutes(notifications, notificationRoutes)];

test('pending deliveries survive a restart with their ids, and a hanging one does not delay the shutdown', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-notifications-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let reply: Reply = 'silence';
  const ids: (string | string[] | undefined)[] = [];
  const receiver = await startTestVendor({}, ({ headers }) => {
    ids.push(headers['webhook-id']);
    return reply;
  });
  onTestFinished(() => receiver.close());
  const options = { dataDir, originOverrides: { [HOOK]: receiver.url } };
  const before = await startFeatureApp(parts, options);
  const user = await before.createUser('user');
  const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
  await user
    .api(notifications)
    .createOwn({
      body: {
        type: 'webhook',
        name: 'Mine',
        events: ['low-balance'],
        enabled: true,
        config: { address: `${HOOK}/`, secret },
      },
    });
  await notifyUser(before.ctx, user.id, 'low-balance', { balance: '$1' });
  await expect.poll(() => ids.length).toBe(1);
  const grace = vi.spyOn(before.clock, 'after');
  const closing = before.close();
  await expect.poll(() => grace.mock.calls.length, { interval: 5 }).toBe(1);
  before.clock.advance(3);
  await closing;

  reply = { text: 'ok' };
  const after = await startFeatureApp(parts, options);
  onTestFinished(() => after.close());
  // As far as it was before, and to the next look.
  after.clock.advance(3 + 5);
  const state = async () =>
    (await after.ctx.db.writer.selectFrom('delivery').select('state').executeTakeFirst())?.state;
  await expect.poll(state).toBe('delivered');
  expect(ids).toHaveLength(2);
  expect(ids[0]).toBe(ids[1]);
});

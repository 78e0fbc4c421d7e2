import type { notifications } from '@switchyard/contract/operations/notifications';
import type { RouteInput } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { audit } from '../audit/audit.ts';
import { listDeliveries, resendDelivery, testNotificationTarget } from './deliveries.ts';
import {
  createNotificationTarget,
  listNotificationTargets,
  removeNotificationTarget,
  type TargetOwner,
  updateNotificationTarget,
} from './notification-targets.ts';

const TESTS_PER_MINUTE = 10;

type Routes = Handlers<typeof notifications>;
type Call = Parameters<Routes['listOwn' | 'list']>[1];

export const notificationRoutes = (ctx: Context): Routes => {
  const tests = createRateLimit(ctx, 'destinations to try', TESTS_PER_MINUTE, 60_000);
  const own = createTargetHandlers(ctx, tests, ({ caller }) => caller);
  const site = createTargetHandlers(ctx, tests, () => 'site');
  return {
    listOwn: own.list,
    createOwn: own.create,
    updateOwn: own.update,
    removeOwn: own.remove,
    testOwn: own.test,
    listOwnDeliveries: own.listDeliveries,
    sendOwnAgain: own.sendAgain,
    ...site,
  };
};

/** Creates the handlers, which are the same for a user's own notification channels and the site's. */
function createTargetHandlers(
  ctx: Context,
  tests: ReturnType<typeof createRateLimit>,
  ownerOf: (call: Call) => TargetOwner,
) {
  return {
    list: (_input: unknown, call: Call) => listNotificationTargets(ctx, ownerOf(call)),
    create: async ({ body }: RouteInput<typeof notifications.create>, call: Call) => {
      const created = await createNotificationTarget(ctx, ownerOf(call), body);
      const { config: _secret, ...detail } = body;
      await audit(ctx, call, { action: 'destination.create', target: `destination:${created.id}`, detail });
      return created;
    },
    update: async ({ params, body }: RouteInput<typeof notifications.update>, call: Call) => {
      const changed = await updateNotificationTarget(ctx, ownerOf(call), params.id, body);
      const { config, ...rest } = body;
      const detail = { ...rest, config: Object.keys(config ?? {}) };
      await audit(ctx, call, { action: 'destination.update', target: `destination:${params.id}`, detail });
      return changed;
    },
    remove: async ({ params }: RouteInput<typeof notifications.remove>, call: Call) => {
      await removeNotificationTarget(ctx, ownerOf(call), params.id);
      await audit(ctx, call, { action: 'destination.delete', target: `destination:${params.id}` });
    },
    test: async ({ params }: RouteInput<typeof notifications.test>, call: Call) => {
      await tests.consume(String(call.caller.userId));
      await audit(ctx, call, { action: 'destination.test', target: `destination:${params.id}` });
      return testNotificationTarget(ctx, ownerOf(call), params.id);
    },
    listDeliveries: ({ query }: RouteInput<typeof notifications.listDeliveries>, call: Call) =>
      listDeliveries(ctx, ownerOf(call), query),
    sendAgain: async ({ params }: RouteInput<typeof notifications.sendAgain>, call: Call) => {
      await resendDelivery(ctx, ownerOf(call), params.id);
      await audit(ctx, call, { action: 'delivery.send-again', target: `delivery:${params.id}` });
    },
  };
}

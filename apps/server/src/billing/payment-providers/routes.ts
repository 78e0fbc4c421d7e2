import type { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  createPaymentProvider,
  getPaymentProvider,
  listPaymentProviders,
  removePaymentProvider,
  testPaymentProvider,
  updatePaymentProvider,
} from './payment-providers.ts';

export const paymentProviderRoutes = (ctx: Context): Handlers<typeof paymentProviders> => ({
  list: ({ query }) => listPaymentProviders(ctx, query),
  get: ({ params }) => getPaymentProvider(ctx, params.id),
  create: async ({ body }, call) => {
    const created = await createPaymentProvider(ctx, body);
    const { config, ...detail } = body;
    await audit(ctx, call, {
      action: 'processor.create',
      target: `processor:${created.id}`,
      detail: { ...detail, config: Object.keys(config) },
    });
    return created;
  },
  update: async ({ body }, call) => {
    const before = await getPaymentProvider(ctx, body.id);
    const after = await updatePaymentProvider(ctx, body);
    await audit(ctx, call, {
      action: 'processor.update',
      target: `processor:${after.id}`,
      detail: diffRecords(before, after),
    });
    return after;
  },
  test: async ({ params }, call) => {
    const result = await testPaymentProvider(ctx, params.id);
    await audit(ctx, call, { action: 'processor.test', target: `processor:${params.id}`, detail: result });
    return result;
  },
  remove: async ({ params }, call) => {
    await removePaymentProvider(ctx, params.id);
    await audit(ctx, call, { action: 'processor.delete', target: `processor:${params.id}` });
  },
});

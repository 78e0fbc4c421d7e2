import type { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import type { Context } from '../../context.ts';
import { audit, changesBetween } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  createProcessor,
  getProcessor,
  listProcessors,
  removeProcessor,
  testProcessor,
  updateProcessor,
} from './payment-providers.ts';

export const processorRoutes = (ctx: Context): Handlers<typeof paymentProviders> => ({
  list: ({ query }) => listProcessors(ctx, query),
  get: ({ params }) => getProcessor(ctx, params.id),
  create: async ({ body }, call) => {
    const made = await createProcessor(ctx, body);
    const { config, ...detail } = body;
    await audit(ctx, call, {
      action: 'processor.create',
      target: `processor:${made.id}`,
      detail: { ...detail, config: Object.keys(config) },
    });
    return made;
  },
  update: async ({ body }, call) => {
    const before = await getProcessor(ctx, body.id);
    const after = await updateProcessor(ctx, body);
    await audit(ctx, call, {
      action: 'processor.update',
      target: `processor:${after.id}`,
      detail: changesBetween(before, after),
    });
    return after;
  },
  test: async ({ params }, call) => {
    const result = await testProcessor(ctx, params.id);
    await audit(ctx, call, { action: 'processor.test', target: `processor:${params.id}`, detail: result });
    return result;
  },
  remove: async ({ params }, call) => {
    await removeProcessor(ctx, params.id);
    await audit(ctx, call, { action: 'processor.delete', target: `processor:${params.id}` });
    return null;
  },
});

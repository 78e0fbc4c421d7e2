import type { audit } from '@switchyard/contract/operations/audit';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { verifyAuditChain } from './audit.ts';
import { exportEntries, listEntries } from './list-entries.ts';

export const auditRoutes = (ctx: Context): Handlers<typeof audit> => ({
  list: ({ query }) => listEntries(ctx, query),
  export: ({ query }, call) => {
    call.setFileName('audit.csv');
    return exportEntries(ctx, query);
  },
  verify: async () => {
    const { entries, brokenId } = await verifyAuditChain(ctx);
    return { entries, intact: brokenId === null, broken_id: brokenId };
  },
});

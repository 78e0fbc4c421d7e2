import type { usageRecords } from '@switchyard/contract/usage/usage-records';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { removeRecordsBefore } from './remove-records.ts';
import { exportRecords, getRecord, listRecords, readUsageTotals } from './usage-records.ts';

export const usageRecordRoutes = (ctx: Context): Handlers<typeof usageRecords> => ({
  list: ({ query }) => listRecords(ctx, 'administrator', query),
  listOwn: ({ query }, { caller }) => listRecords(ctx, caller, query),
  totals: ({ query }) => readUsageTotals(ctx, 'administrator', query),
  totalsOwn: ({ query }, { caller }) => readUsageTotals(ctx, caller, query),
  export: ({ query }, call) => {
    call.setFileName('logs.csv');
    return exportRecords(ctx, 'administrator', query);
  },
  exportOwn: ({ query }, call) => {
    call.setFileName('logs.csv');
    return exportRecords(ctx, call.caller, query);
  },
  get: ({ params }) => getRecord(ctx, 'administrator', params.id),
  getOwn: ({ params }, { caller }) => getRecord(ctx, caller, params.id),
  removeOld: async ({ query }, call) => {
    const count = await removeRecordsBefore(ctx, query.target_timestamp);
    await audit(ctx, call, { action: 'usage-record.delete', target: 'usage_record', detail: { ...query, count } });
    return count;
  },
});

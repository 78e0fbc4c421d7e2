import type { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import type { Context } from '../../context.ts';
import { audit, auditFirst, diffRecords } from '../../operations/audit/audit.ts';
import { runAsReader } from '../../platform/http/caller.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { exportBatch, getBatch, listBatches, listUnusedCodes, removeBatch, updateBatch } from './code-batches.ts';
import { createBatch } from './create-batch.ts';
import { redeemWithRateLimit } from './redeem-with-rate-limit.ts';
import { getCode, listCodes, removeCode, revealCode, setCodeStatus } from './redemption-codes.ts';

export function redemptionCodeRoutes(ctx: Context): Handlers<typeof redemptionCodes> {
  return {
    redeem: ({ body }, call) => redeemWithRateLimit(ctx, call, body.key),
    list: ({ query }) => listCodes(ctx, query),
    get: ({ params }) => getCode(ctx, params.id),
    create: async ({ body }, call) => {
      const { id, codes } = await createBatch(ctx, call.caller, body);
      await audit(ctx, call, { action: 'code-batch.create', target: `code_batch:${id}`, detail: body });
      return codes;
    },
    update: async ({ body: { id, status } }, call) => {
      const code = await setCodeStatus(ctx, id, status);
      await audit(ctx, call, {
        action: status === 'enabled' ? 'redemption-code.enable' : 'redemption-code.disable',
        target: `redemption_code:${id}`,
      });
      return code;
    },
    remove: async ({ params }, call) => {
      await removeCode(ctx, params.id);
      await audit(ctx, call, { action: 'redemption-code.delete', target: `redemption_code:${params.id}` });
    },
    reveal: async ({ params }, call) => {
      const code = await revealCode(ctx, params.id);
      await auditFirst(ctx, call, { action: 'redemption-code.reveal', target: `redemption_code:${params.id}` });
      return code;
    },
    listBatches: ({ query }) => listBatches(ctx, query),
    getBatch: ({ params }) => getBatch(ctx, params.id),
    updateBatch: async ({ body }, call) => {
      const before = await getBatch(ctx, body.id);
      const batch = await updateBatch(ctx, body);
      await audit(ctx, call, {
        action: 'code-batch.update',
        target: `code_batch:${batch.id}`,
        detail: { changes: diffRecords(before, batch, ['name', 'expires_time', 'per_user', 'enabled']) },
      });
      return batch;
    },
    removeBatch: async ({ params }, call) => {
      const { name } = await getBatch(ctx, params.id);
      const codes = await removeBatch(ctx, params.id);
      await audit(ctx, call, {
        action: 'code-batch.delete',
        target: `code_batch:${params.id}`,
        detail: { name, codes },
      });
    },
    unusedCodes: async ({ params }, call) => {
      const codes = await runAsReader(call.caller.userId, () => listUnusedCodes(ctx, params.id));
      await auditFirst(ctx, call, { action: 'code-batch.print', target: `code_batch:${params.id}` });
      return codes;
    },
    exportBatch: async ({ params }, call) => {
      const table = await runAsReader(call.caller.userId, () => exportBatch(ctx, params.id));
      call.setFileName(`codes-${params.id}.csv`);
      await auditFirst(ctx, call, { action: 'code-batch.export', target: `code_batch:${params.id}` });
      return table;
    },
  };
}

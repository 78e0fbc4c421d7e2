import { type CodeBatch, redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { createClient } from '@switchyard/contract/client';
import type { CodeBatchId, RedemptionCodeId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import type { RedemptionStatus } from '@switchyard/contract/wire-enums';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(redemptionCodes, send);
const all = ['redemption-codes'] as const;
const batches = [...all, 'batches'] as const;

export type BatchListQuery = NonNullable<RouteCall<typeof redemptionCodes.listBatches>['query']>;
export type CodeListQuery = NonNullable<RouteCall<typeof redemptionCodes.list>['query']>;
type CreateBatch = RouteCall<typeof redemptionCodes.create>['body'];
type UpdateBatch = RouteCall<typeof redemptionCodes.updateBatch>['body'];
export type SettableStatus = Exclude<RedemptionStatus, 'used'>;

export const listBatches = (query: BatchListQuery, signal?: AbortSignal) => api.listBatches({ query }, signal);
export const listCodes = (query: CodeListQuery, signal?: AbortSignal) => api.list({ query }, signal);

export const batchListQuery = (query: BatchListQuery) =>
  queryKeepingPrevious([...batches, 'list', query], (signal) => listBatches(query, signal));

export function batchQuery(id: CodeBatchId) {
  return queryOptions({
    queryKey: [...batches, 'one', id],
    queryFn: ({ signal }) => api.getBatch({ params: { id } }, signal),
  });
}

export const codeListQuery = (query: CodeListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listCodes(query, signal));

/** @throws StepUpCancelled when the user does not confirm their identity */
export const revealCode = (id: RedemptionCodeId) => withStepUp(() => api.reveal({ params: { id } }));
/** Returns all codes of a batch and their state as CSV. */
export const exportBatch = (id: CodeBatchId) => withStepUp(() => api.exportBatch({ params: { id } }));
export const readUnusedCodes = (id: CodeBatchId) => withStepUp(() => api.unusedCodes({ params: { id } }));

export const useCreateBatch = () => useListChange(all, (body: CreateBatch) => withStepUp(() => api.create({ body })));
export const useUpdateBatch = () =>
  useListChange(all, (body: UpdateBatch) => withStepUp(() => api.updateBatch({ body })));
export const useRemoveBatch = () => useListChange(all, (id: CodeBatchId) => api.removeBatch({ params: { id } }));
export const useRemoveCode = () => useListChange(all, (id: RedemptionCodeId) => api.remove({ params: { id } }));

/** Enables or disables a batch and shows the change before the server responds. */
export const useSetBatchEnabled = () =>
  useQuickListChange(
    batches,
    (change: { id: CodeBatchId; enabled: boolean }) => withStepUp(() => api.updateBatch({ body: change })),
    (batch: CodeBatch, { id, enabled }) => (batch.id === id ? { ...batch, enabled } : batch),
  );
export const useSetCodeStatus = () =>
  useListChange(all, (body: { id: RedemptionCodeId; status: SettableStatus }) =>
    withStepUp(() => api.update({ body })),
  );

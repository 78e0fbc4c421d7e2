import { type CodeBatch, redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { createClient } from '@switchyard/contract/client';
import type { RedemptionStatus } from '@switchyard/contract/codes';
import type { CodeBatchId, RedemptionCodeId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange, useQuickListChange } from '../../../list-changes.ts';
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

export function batchListQuery(query: BatchListQuery) {
  return queryOptions({
    queryKey: [...batches, 'list', query],
    queryFn: ({ signal }) => listBatches(query, signal),
    placeholderData: keepPreviousData,
  });
}

export function batchQuery(id: CodeBatchId) {
  return queryOptions({
    queryKey: [...batches, 'one', id],
    queryFn: ({ signal }) => api.getBatch({ params: { id } }, signal),
  });
}

export function codeListQuery(query: CodeListQuery) {
  return queryOptions({
    queryKey: [...all, 'list', query],
    queryFn: ({ signal }) => listCodes(query, signal),
    placeholderData: keepPreviousData,
  });
}

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

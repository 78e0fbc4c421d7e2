import type { ExternalSource } from '@switchyard/contract/catalog/catalog-updates';
import { type ModelDetail, modelDetails } from '@switchyard/contract/catalog/model-details';
import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';

/**
 * Longer than the server's 30 seconds for fetching a list, so that its error arrives before this deadline.
 */
const LIST_DEADLINE_MS = 40_000;
const sendPatiently: Send = (request) => send(request, LIST_DEADLINE_MS);

const api = createClient(modelDetails, send);
const patient = createClient(modelDetails, sendPatiently);
const all = ['model-details'] as const;

/** Query for every model that has metadata or can get some. */
export const describedModelsQuery = queryOptions({
  queryKey: all,
  queryFn: ({ signal }) => api.list({}, signal),
  staleTime: 60_000,
});

/** Sends a change and invalidates the queries that show model metadata. */
function useDetailChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => Promise.all([all, ['models']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** @param isNew whether the model has no manual metadata yet */
export const useSaveDetail = () =>
  useDetailChange(({ isNew, detail: { model, ...facts } }: { isNew: boolean; detail: ModelDetail }) =>
    isNew ? api.create({ body: { model, ...facts } }) : api.update({ params: { model }, body: facts }),
  );

export const useRemoveDetail = () => useDetailChange((model: string) => api.remove({ params: { model } }));

/** Previews a list without importing it. */
export const useReadDetails = () =>
  useMutation({ mutationFn: (source: ExternalSource) => patient.read({ body: source }) });

export const useImportDetails = () =>
  useDetailChange((body: RouteCall<typeof modelDetails.import>['body']) => patient.import({ body }));

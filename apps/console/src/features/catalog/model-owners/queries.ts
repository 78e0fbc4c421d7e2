import { type ModelOwner, modelOwners, type NewOwner } from '@switchyard/contract/catalog/model-owners';
import { createClient } from '@switchyard/contract/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import type { Option } from '../../../ui/inputs/select-options.ts';

const api = createClient(modelOwners, send);
const all = ['model-owners'] as const;

export const ownersQuery = queryOptions({
  queryKey: all,
  queryFn: ({ signal }) => api.list({}, signal),
  staleTime: 60_000,
});

const noOwners: ModelOwner[] = [];

/** Returns the model owners; empty while they load. */
export function useOwners(): readonly ModelOwner[] {
  return useQuery(ownersQuery).data ?? noOwners;
}

export function ownerOptions(owners: readonly ModelOwner[]): Option[] {
  return owners.map(({ id, name }) => ({ value: String(id), label: name }));
}

/** Sends a change and invalidates the queries that name owners. */
function useOwnerChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => Promise.all([all, ['models']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export const useCreateOwner = () => useOwnerChange((body: NewOwner) => api.create({ body }));

export const useUpdateOwner = () =>
  useOwnerChange(({ id, name, icon }: NewOwner) => api.update({ params: { id }, body: { name, icon } }));

export const useRemoveOwner = () => useOwnerChange((id: number) => api.remove({ params: { id } }));

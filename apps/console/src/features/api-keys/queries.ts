import { type ApiKey, apiKeys, type CreateApiKey } from '@switchyard/contract/api-keys';
import { createClient } from '@switchyard/contract/client';
import type { ApiKeyStatus } from '@switchyard/contract/codes';
import type { ApiKeyId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api.ts';
import { paths } from '../../paths.ts';
import type { PaletteSource } from '../../ui/palette-result.ts';
import { withStepUp } from '../../ui/step-up.ts';

const api = createClient(apiKeys, send);
const all = ['api-keys'] as const;

export type ApiKeyListQuery = NonNullable<RouteCall<typeof apiKeys.list>['query']>;
export type ApiKeyUpdate = RouteCall<typeof apiKeys.update>['body'];

export const listApiKeys = (query: ApiKeyListQuery, signal?: AbortSignal) => api.list({ query }, signal);
export const createApiKey = (body: CreateApiKey) => api.create({ body });
/** @throws StepUpCancelled when the user does not confirm the password */
export const revealApiKey = (id: ApiKeyId) => withStepUp(() => api.reveal({ params: { id } }));
/** @throws StepUpCancelled when the user does not confirm the password */
export const rotateApiKey = (id: ApiKeyId) => withStepUp(() => api.rotate({ params: { id } }));

export function apiKeyListQuery(query: ApiKeyListQuery) {
  return queryOptions({
    queryKey: [...all, 'list', query],
    queryFn: ({ signal }) => listApiKeys(query, signal),
    placeholderData: keepPreviousData,
  });
}

export function apiKeyQuery(id: ApiKeyId) {
  return queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => api.get({ params: { id } }, signal),
  });
}

/** Sends a change and reads the lists again. */
function useApiKeyMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

export const useCreateApiKey = () => useApiKeyMutation(createApiKey);
export const useUpdateApiKey = () =>
  useApiKeyMutation((body: ApiKeyUpdate) => api.update({ query: {}, body }));
export const useRotateApiKey = () => useApiKeyMutation(rotateApiKey);

export const useSetApiKeyStatus = () =>
  useApiKeyMutation(
    async ({ ids, status }: { ids: ApiKeyId[]; status: Extract<ApiKeyStatus, 'enabled' | 'disabled'> }) => {
      for (const id of ids) await api.update({ query: { status_only: 'true' }, body: { id, status } });
    },
  );

export const useRemoveApiKeys = () =>
  useApiKeyMutation(async (ids: ApiKeyId[]) => {
    for (const id of ids) await api.remove({ params: { id } });
  });

export const apiKeyPaletteSource: PaletteSource = {
  heading: 'apiKeys',
  access: 'user',
  find: async (text, signal) => {
    const { data } = await api.list({ query: { keyword: text, size: 5 } }, signal);
    return data.map((key: ApiKey) => ({
      id: `api-key-${key.id}`,
      title: key.name,
      detail: key.key,
      to: paths.apiKeys,
      search: { open: String(key.id) },
    }));
  },
};

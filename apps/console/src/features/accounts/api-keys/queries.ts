import { type ApiKey, apiKeys, type CreateApiKey } from '@switchyard/contract/accounts/api-keys';
import { createClient } from '@switchyard/contract/client';
import type { ApiKeyId, UserId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import type { ApiKeyStatus } from '@switchyard/contract/wire-enums';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../../list-queries.ts';
import { paths } from '../../../paths.ts';
import type { PaletteSource } from '../../../ui/overlays/command-palette-result.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(apiKeys, send);
const all = ['api-keys'] as const;

export type ApiKeyListQuery = NonNullable<RouteCall<typeof apiKeys.list>['query']>;
export type ApiKeyUpdate = RouteCall<typeof apiKeys.update>['body'];
export type SettableStatus = Extract<ApiKeyStatus, 'enabled' | 'disabled'>;

export const listApiKeys = (query: ApiKeyListQuery, signal?: AbortSignal) => api.list({ query }, signal);
export const createApiKey = (body: CreateApiKey) => api.create({ body });
/** @throws StepUpCancelled when the user does not confirm their identity */
export const revealApiKey = (id: ApiKeyId) => withStepUp(() => api.reveal({ params: { id } }));
const rotateApiKey = (id: ApiKeyId) => withStepUp(() => api.rotate({ params: { id } }));

export const apiKeyListQuery = (query: ApiKeyListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listApiKeys(query, signal));

export const apiKeyQuery = (id: ApiKeyId) =>
  queryOptions({ queryKey: [...all, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

/** Query for another user's tokens, for administrators: without the keys, with the price ratios. */
export function userApiKeysQuery(userId: UserId) {
  return queryOptions({
    queryKey: [...all, 'of', userId],
    queryFn: ({ signal }) => api.listOf({ params: { id: userId } }, signal),
  });
}

export const useCreateApiKey = () => useListChange(all, createApiKey);
export const useUpdateApiKey = () => useListChange(all, (body: ApiKeyUpdate) => api.update({ body }));
export const useSetApiKeyRatio = () =>
  useListChange(all, ({ id, ratio }: { id: ApiKeyId; ratio: number }) =>
    api.setRatio({ params: { id }, body: { ratio } }),
  );
export const useToggleApiKey = () =>
  useListChange(all, ({ id, status }: { id: ApiKeyId; status: SettableStatus }) =>
    api.switch({ params: { id }, body: { status } }),
  );
export const useRotateApiKey = () => useListChange(all, rotateApiKey);

export const useRemoveApiKeys = () =>
  useListChange(all, async (ids: readonly ApiKeyId[]) => {
    for (const id of ids) await api.remove({ params: { id } });
  });

/** Changes the status of tokens and shows the new status before the server responds. */
export const useSetApiKeyStatus = () =>
  useQuickListChange(
    all,
    async ({ ids, status }: { ids: readonly ApiKeyId[]; status: SettableStatus }) => {
      for (const id of ids) await api.update({ query: { status_only: 'true' }, body: { id, status } });
    },
    (key: ApiKey, { ids, status }) => (ids.includes(key.id) ? { ...key, status } : key),
  );

export const apiKeyPaletteSource: PaletteSource = {
  heading: 'apiKeys',
  access: 'user',
  find: async (text, signal) => {
    const { data } = await listApiKeys({ keyword: text, size: 5 }, signal);
    return data.map((key) => ({
      id: `api-key-${key.id}`,
      title: key.name,
      detail: key.key,
      to: paths.apiKeys,
      search: { open: String(key.id) },
    }));
  },
};

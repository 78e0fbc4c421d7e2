import { channelEdits } from '@switchyard/contract/channels/channel-edits';
import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { ChannelId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-changes.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

/** Long enough for the server to read, check and write thousands of channels. */
const MANY_DEADLINE_MS = 120_000;
const sendPatiently: Send = (request) => send(request, MANY_DEADLINE_MS);

const api = createClient(channelEdits, sendPatiently);
const all = ['channels'] as const;

export type EditCall = RouteCall<typeof channelEdits.edit>['body'];
export type Selection = EditCall['where'];
type ImportCall = RouteCall<typeof channelEdits.import>['body'];

export const tagsQuery = queryOptions({
  queryKey: [...all, 'tags'],
  queryFn: ({ signal }) => api.tags({}, signal),
});

/** Never cached, because the position after a drop depends on every channel. */
export const ranksQuery = queryOptions({
  queryKey: [...all, 'ranks'],
  queryFn: ({ signal }) => api.ranks({}, signal),
  staleTime: 0,
});

export const previewEdit = (body: EditCall) => api.edit({ body: { ...body, dry_run: true } });
export const useEditChannels = () => useListChange(all, (body: EditCall) => api.edit({ body }));

export const previewImport = (body: ImportCall) => api.import({ body: { ...body, dry_run: true } });
export const useImportChannels = () => useListChange(all, (body: ImportCall) => api.import({ body }));

/** @param secrets whether to export secrets unmasked, which needs a confirmation */
export function exportChannels(where: Selection, secrets: boolean) {
  return secrets ? withStepUp(() => api.exportWithSecrets({ body: { where } })) : api.export({ body: { where } });
}

/** Changes channels without invalidating the lists. */
export const editOnly = (ids: readonly ChannelId[], change: EditCall['change']) =>
  api.edit({ body: { where: { ids: [...ids] }, change } });

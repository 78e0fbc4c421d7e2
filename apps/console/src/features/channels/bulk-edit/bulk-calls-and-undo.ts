import { channelEdits, type EditResult } from '@switchyard/contract/channels/bulk-edits-and-import';
import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { ChannelId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useRefreshChannels } from '../queries.ts';

/** Long enough for the server to read, check and write thousands of channels. */
const MANY_DEADLINE_MS = 120_000;
const sendPatiently: Send = (request) => send(request, MANY_DEADLINE_MS);

const api = createClient(channelEdits, sendPatiently);
const all = ['channels'] as const;

export type EditCall = RouteCall<typeof channelEdits.edit>['body'];
export type Selection = EditCall['where'];
type ImportCall = RouteCall<typeof channelEdits.import>['body'];

export const tagsQuery = queryOptions({ queryKey: [...all, 'tags'], queryFn: ({ signal }) => api.tags({}, signal) });

/** Never cached, because the position after a drop depends on every channel. */
export const ranksQuery = queryOptions({
  queryKey: [...all, 'ranks'],
  queryFn: ({ signal }) => api.ranks({}, signal),
  staleTime: 0,
});

export const previewEdit = (body: EditCall) => api.edit({ body: { ...body, dry_run: true } });
const useEditChannels = () => useListChange(all, (body: EditCall) => api.edit({ body }));

export const previewImport = (body: ImportCall) => api.import({ body: { ...body, dry_run: true } });
export const useImportChannels = () => useListChange(all, (body: ImportCall) => api.import({ body }));

/** @param secrets whether to export secrets unmasked, which needs a confirmation */
export function exportChannels(where: Selection, secrets: boolean) {
  return secrets ? withStepUp(() => api.exportWithSecrets({ body: { where } })) : api.export({ body: { where } });
}

/** Changes channels without invalidating the lists. */
const editOnly = (ids: readonly ChannelId[], change: EditCall['change']) =>
  api.edit({ body: { where: { ids: [...ids] }, change } });

/** Returns a function that edits channels; a change of only the status or the priorities can be undone. */
export function useBulkEdit(): (call: EditCall, said?: string) => Promise<void> {
  const { t } = useTranslation('channels');
  const notifyError = useNotifyError();
  const refresh = useRefreshChannels();
  const { mutateAsync: edit } = useEditChannels();
  return async (call, said) => {
    const result = await edit(call);
    const takeBack = async () => {
      try {
        await backTo(result, call);
      } catch (error) {
        notifyError(error);
      } finally {
        await refresh();
      }
    };
    const isWhole = result.refused_count === 0;
    if (!isWhole && said !== undefined) notify('warning', t('edits.stayedCount', { count: result.refused_count }));
    const done = isWhole && said !== undefined ? said : t('edits.changedCount', { count: result.changed });
    if (result.before.length === 0) notify('success', done);
    else notify('success', done, { undo: () => void takeBack() });
  };
}

/** Undoes a change. It enables only channels that were enabled before, never one that was auto-disabled. */
async function backTo({ before }: EditResult, { change }: EditCall): Promise<void> {
  if (change.status === undefined) {
    const priorities = Object.fromEntries(before.map(({ id, priority }) => [id, priority]));
    await editOnly(
      before.map(({ id }) => id),
      { priorities },
    );
    return;
  }
  const ids = (enabled: boolean) =>
    before.flatMap(({ id, status }) => ((status === 'enabled') === enabled ? [id] : []));
  const back = change.status === 'enabled' ? 'disabled' : 'enabled';
  const which = ids(back === 'enabled');
  if (which.length > 0) await editOnly(which, { status: back });
}

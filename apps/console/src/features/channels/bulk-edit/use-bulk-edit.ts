import type { EditResult } from '@switchyard/contract/channels/channel-edits';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useRefreshChannels } from '../queries.ts';
import { type EditCall, editOnly, useEditChannels } from './edit-queries.ts';

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

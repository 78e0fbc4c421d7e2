import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useNotifyProblem } from '../channel-tests/failure-explanation.tsx';
import {
  type SettableStatus,
  useQuickChange,
  useRemoveChannels,
  useRemoveDisabledChannels,
  useUpdateBalance,
} from '../queries.ts';

/** Returns the actions for channels, which report their result and offer undo where possible. */
export function useChannelActions() {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const undoable = useUndoable();
  const { mutateAsync: sendChange } = useQuickChange();
  const { mutateAsync: sendRemoval } = useRemoveChannels();
  const { mutateAsync: sendDisabledRemoval } = useRemoveDisabledChannels();
  const { mutateAsync: askBalance } = useUpdateBalance();

  const setStatus = async (channels: readonly Channel[], status: SettableStatus) => {
    const changed = channels.filter((channel) => channel.status !== status);
    const ids = changed.map(({ id }) => id);
    const back: SettableStatus = status === 'enabled' ? 'disabled' : 'enabled';
    await undoable({
      send: sendChange,
      to: { ids, change: { status } },
      back: () => ({ ids, change: { status: back } }),
      done: t(status === 'enabled' ? 'enabledCount' : 'disabledCount', { count: ids.length }),
    });
  };
  const setRouting = async (channel: Channel, change: { priority: number } | { weight: number }) => {
    const before = 'priority' in change ? { priority: channel.priority } : { weight: channel.weight };
    const ids = [channel.id];
    await undoable({
      send: sendChange,
      to: { ids, change },
      back: () => ({ ids, change: before }),
      done: t('routingChanged', { name: channel.name }),
    });
  };
  const remove = async (channels: readonly Channel[]) => {
    const count = await sendRemoval(channels.map(({ id }) => id));
    notify('success', t('deletedCount', { count }));
  };
  const removeDisabled = async () => {
    const count = await sendDisabledRemoval();
    notify(count === 0 ? 'info' : 'success', t('deletedCount', { count }));
  };
  const refreshBalance = async ({ id, name }: Channel) => {
    try {
      const { balance } = await askBalance(id);
      notify('success', t('balanceRead', { name, balance: format.usd(balance) }));
    } catch (error) {
      notifyProblem(error);
    }
  };
  return { setStatus, setRouting, remove, removeDisabled, refreshBalance };
}

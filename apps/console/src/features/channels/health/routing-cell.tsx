import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { InlineNumber } from '../../../ui/actions/inline-number.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { useChannelActions } from '../list/use-channel-actions.ts';

const MOST = 1_000_000;

/** Shows the priority or the weight, editable in the table. */
export function RoutingCell({ channel, field }: { channel: Channel; field: 'priority' | 'weight' }) {
  const { t } = useTranslation('channels');
  const { setRouting } = useChannelActions();
  const mayWrite = useHasAccess('channels.write');
  const priority = field === 'priority';
  if (!mayWrite) return channel[field];
  return (
    <InlineNumber
      value={channel[field]}
      min={priority ? 0 : 1}
      max={MOST}
      label={t(priority ? 'priorityOf' : 'weightOf', { name: channel.name })}
      onSave={(value) => void setRouting(channel, priority ? { priority: value } : { weight: value })}
    />
  );
}

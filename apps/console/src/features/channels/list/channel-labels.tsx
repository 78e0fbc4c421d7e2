import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelStatus } from '@switchyard/contract/codes';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/chips.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

export const channelStatuses = [
  'enabled',
  'disabled',
  'auto-disabled',
] as const satisfies readonly ChannelStatus[];

const tones: Record<ChannelStatus, Tone> = {
  enabled: 'success',
  disabled: 'neutral',
  'auto-disabled': 'error',
};

/** The status; on hover why the gateway disabled the channel, or until when it rests or a cap keeps it out. */
export function ChannelStatusChip({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const { status, cooldown_until, capped_until, disabled_reason } = channel;
  if (status === 'enabled' && capped_until > 0) {
    return (
      <StatusChip tone="warning" hint={t('caps.until', { moment: format.moment(capped_until) })}>
        {t('caps.reached')}
      </StatusChip>
    );
  }
  if (status === 'enabled' && cooldown_until > 0) {
    return (
      <StatusChip tone="warning" hint={t('restsUntil', { moment: format.moment(cooldown_until) })}>
        {t('resting')}
      </StatusChip>
    );
  }
  return (
    <StatusChip tone={tones[status]} hint={disabled_reason}>
      {t(`statusName.${status}`)}
    </StatusChip>
  );
}

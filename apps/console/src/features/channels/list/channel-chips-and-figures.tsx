import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelStatus } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { useProviderNameById } from './provider-and-option-names.ts';

export const channelStatuses = ['enabled', 'disabled', 'auto-disabled'] as const satisfies readonly ChannelStatus[];

const tones: Record<ChannelStatus, Tone> = { enabled: 'success', disabled: 'neutral', 'auto-disabled': 'error' };

/** Shows the status; its tooltip has the reason for disabling, or the end of the cooldown or of the cap. */
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

export function ProviderLabel({ id }: { id: string }) {
  const name = useProviderNameById()(id);
  return (
    <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <ProviderLogo provider={id} size={16} />
      <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {name}
      </Box>
    </Box>
  );
}

/** Shows the response time of the last successful test, with the time of the last test as a tooltip. */
export function ResponseTime({ channel: { response_time, test_time } }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  if (test_time === 0) return UNKNOWN;
  return (
    <Tooltip title={t('testedAt', { moment: format.moment(test_time) })}>
      <span>{response_time === 0 ? UNKNOWN : format.duration(response_time)}</span>
    </Tooltip>
  );
}

/** Shows the amount spent through the channel, and the balance if the provider reports it. */
export function SpentAndLeft({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const { used_quota, balance, balance_updated_time } = channel;
  const words = `${format.points(used_quota)} / ${format.usd(balance)}`;
  if (balance_updated_time === 0) return words;
  return (
    <Tooltip title={t('balanceAt', { moment: format.moment(balance_updated_time) })}>
      <span>{words}</span>
    </Tooltip>
  );
}

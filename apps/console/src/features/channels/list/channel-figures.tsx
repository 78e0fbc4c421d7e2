import Tooltip from '@mui/material/Tooltip';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Shows the response time of the last successful test; its time is shown on hover. */
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

/** Shows the amount spent through the channel, and the balance at the provider where the provider reports it. */
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

import Box from '@mui/material/Box';
import type { ModelStatus } from '@switchyard/contract/channels/channel-tests';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/moment.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-chip.tsx';
import { UptimeBars } from '../../../ui/display/uptime-bars.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

interface ModelStatusRowProps {
  status: ModelStatus;
  span: 'hours' | 'days';
  /** When the first bar begins, UTC seconds. */
  from: number;
}

export const stateTones = {
  operational: 'success',
  degraded: 'warning',
  down: 'error',
  unknown: 'neutral',
} as const satisfies Record<ModelStatus['state'], Tone>;

const SECONDS = { hours: 3_600, days: 86_400 } as const;
const WELL = 0.95;
const BADLY = 0.5;

/** A model: how it is now, how it was, and when most requests last failed. */
export function ModelStatusRow({ status, span, from }: ModelStatusRowProps) {
  const { t } = useTranslation('status-page');
  const format = useFormat();
  const { model, state, uptime, last_incident: incident } = status;
  const percent = format.percent(uptime, 1);
  const titleOf = (begins: number, share: number | null): string => {
    const moment = span === 'hours' ? format.shortMoment(begins) : format.day(begins);
    return share === null
      ? t('quiet', { moment })
      : t('answered', { moment, percent: format.percent(share, 1) });
  };
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gap: 1,
        p: 2,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        bgcolor: 'background.paper',
        fontSize: '0.8125rem',
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Box sx={{ flexGrow: 1 }}>
          <Mono>{model}</Mono>
        </Box>
        <StatusChip tone={stateTones[state]}>{t(`state.${state}`)}</StatusChip>
      </Box>
      <UptimeBars
        label={t('bars', { model, span: t(`spanOf.${span}`), percent })}
        bars={status[span].map((share, at) => ({
          from: from + at * SECONDS[span],
          share,
          title: titleOf(from + at * SECONDS[span], share),
        }))}
        well={WELL}
        badly={BADLY}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, color: 'text.secondary' }}>
        <Box component="span" sx={{ flexGrow: 1 }}>
          {incident !== null && (
            <>
              {t('lastIncident')} <Moment seconds={incident} />
            </>
          )}
          {incident === null && uptime !== null && t('noIncident')}
        </Box>
        {uptime !== null && <span>{t('uptime', { percent })}</span>}
      </Box>
    </Box>
  );
}

import Box from '@mui/material/Box';
import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import { type LatencyPart, latencyParts } from './latency.ts';

const colours: Record<LatencyPart['name'], string> = {
  before: 'warning.main',
  waiting: 'info.main',
  streaming: 'primary.main',
};

/** The parts of the whole time to scale, each named with its duration. */
export function LatencyBar({ record }: { record: UsageRecordDetail }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const parts = latencyParts(record);
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      <Box aria-hidden sx={{ display: 'flex', gap: '2px', height: 8, borderRadius: 999, overflow: 'hidden' }}>
        {parts.map(({ name, duration }) => (
          <Box key={name} style={{ flexGrow: duration }} sx={{ minWidth: 3, bgcolor: colours[name] }} />
        ))}
      </Box>
      <Box component="ul" sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2.5, rowGap: 0.5, m: 0, p: 0 }}>
        {parts.map(({ name, duration }) => (
          <Box
            component="li"
            key={name}
            sx={{ display: 'flex', alignItems: 'center', gap: 0.75, listStyle: 'none' }}
          >
            <Box component="span" sx={{ width: 8, height: 8, borderRadius: 0.5, bgcolor: colours[name] }} />
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {t(`latency.${name}`)}
            </Box>
            {format.duration(duration)}
          </Box>
        ))}
        <Box component="li" sx={{ listStyle: 'none', ml: 'auto', fontWeight: 500 }}>
          {t('latency.total', { duration: format.duration(record.request_time) })}
        </Box>
      </Box>
    </Box>
  );
}

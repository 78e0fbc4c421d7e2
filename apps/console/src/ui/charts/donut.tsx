import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../display/monospace-text.tsx';
import { useFormat } from '../format/use-format.ts';
import { largestSeries, useNeutralColour, useSeriesColours } from './chart-series-and-colours.ts';

const PieChart = lazy(() => import('@mui/x-charts/PieChart').then((module) => ({ default: module.PieChart })));

interface DonutProps {
  /** Description of the chart for screen readers. */
  label: string;
  parts: readonly { name: string; value: number }[];
  format: (value: number) => string;
}

const SIZE = 168;

/** Shows the shares of a whole with the sum in the middle; the smallest of many parts are folded into one. */
export function Donut({ label, parts, format }: DonutProps) {
  const { t } = useTranslation();
  const { percent } = useFormat();
  const colours = useSeriesColours();
  const neutral = useNeutralColour();
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const series = parts.map(({ name, value }) => ({ name, values: [value] }));
  const largest = largestSeries(series, t('chart.other'));
  const folded = series.length > largest.length;
  const shown = largest.map(({ name, values: [value] }, index) => ({
    id: name,
    label: name,
    value: value ?? 0,
    color: folded && index === largest.length - 1 ? neutral : (colours[index] ?? neutral),
  }));
  return (
    <Box role="figure" aria-label={label} sx={{ display: 'grid', gap: 2 }}>
      <Box sx={{ position: 'relative', height: SIZE }}>
        <Suspense fallback={<Skeleton variant="circular" width={SIZE} height={SIZE} sx={{ mx: 'auto' }} />}>
          <PieChart
            height={SIZE}
            skipAnimation
            hideLegend
            margin={{ left: 0, right: 0, top: 0, bottom: 0 }}
            series={[
              {
                data: shown,
                innerRadius: 58,
                outerRadius: 82,
                paddingAngle: 1,
                cornerRadius: 2,
                valueFormatter: ({ value }) => format(value),
              },
            ]}
          />
        </Suspense>
        <Box sx={middle}>{format(total)}</Box>
      </Box>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 0.75, fontSize: '0.8125rem' }}>
        {shown.map(({ id, value, color }) => (
          <Box component="li" key={id} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
            <Box
              aria-hidden
              sx={{ width: 10, height: 10, borderRadius: '2px', flexShrink: 0 }}
              style={{ backgroundColor: color }}
            />
            <Box sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              <Mono>{id}</Mono>
            </Box>
            <Box sx={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
              {format(value)}{' '}
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {percent(total === 0 ? 0 : value / total)}
              </Box>
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}

const middle = {
  position: 'absolute',
  inset: 0,
  display: 'grid',
  placeItems: 'center',
  pointerEvents: 'none',
  fontSize: '1.25rem',
  fontWeight: 600,
  fontVariantNumeric: 'tabular-nums',
} as const;

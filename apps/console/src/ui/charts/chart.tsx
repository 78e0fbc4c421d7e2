import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import type { Series } from './series.ts';

const TimeChart = lazy(() => import('./time-chart.tsx').then(({ TimeChart }) => ({ default: TimeChart })));

/** A chart over time; the library loads when the first one is shown. */
export function Chart(props: ChartProps) {
  const { height = 240, label } = props;
  return (
    <Box role="figure" aria-label={label} sx={{ minHeight: height }}>
      <Suspense fallback={<Skeleton variant="rounded" height={height} />}>
        <TimeChart {...props} height={height} />
      </Suspense>
    </Box>
  );
}

export interface ChartProps {
  kind: 'line' | 'bar';
  /** Description of the chart for screen readers; the section's title asks the question. */
  label: string;
  /** Along the x axis, in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** All that the caller left out of the series, together; neutral. */
  others?: Series | undefined;
  /** Series for comparison, drawn dashed and neutral beside the lines. */
  before?: Series;
  /** The values' unit: money, numbers, milliseconds. */
  format: (value: number) => string;
  height?: number;
}

import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import type { Series } from './series.ts';

const TimeChart = lazy(() => import('./time-chart.tsx').then(({ TimeChart }) => ({ default: TimeChart })));

export interface ChartProps {
  kind: 'line' | 'bar';
  /** What it shows, for screen readers; the section's title asks the question. */
  label: string;
  /** Along the x axis, in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** The values' unit: money, numbers, milliseconds. */
  format: (value: number) => string;
  height?: number;
}

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

import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import type { Series } from './series.ts';

const TimeChart = lazy(() => import('./time-chart.tsx').then(({ TimeChart }) => ({ default: TimeChart })));

/** Shows a chart over time; the chart library loads with the first one. */
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
  /** Labels of the x axis in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** Sum of everything that the series leave out; neutral colour. */
  others?: Series | undefined;
  /** Series for comparison, drawn dashed and neutral. */
  before?: Series;
  /** Formats a value with its unit. */
  format: (value: number) => string;
  height?: number;
}

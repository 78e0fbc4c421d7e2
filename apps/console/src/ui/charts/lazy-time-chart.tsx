import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import type { ChartProps } from './time-chart.tsx';

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

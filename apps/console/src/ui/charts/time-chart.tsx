import { BarChart } from '@mui/x-charts/BarChart';
import { LineChart } from '@mui/x-charts/LineChart';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../format/format.ts';
import { largestSeries, type Series, useNeutralColour, useSeriesColours } from './chart-series-and-colours.ts';

/** Dash patterns that distinguish lines without colours. */
const dashes = ['none', '6 3', '2 3', '8 3 2 3', '12 4', '4 2', '1 3', '10 2 2 2'];
const OTHERS = 'others';
const BEFORE = 'before';
const strokes = Object.fromEntries([
  ...dashes.map((dash, index) => [`& path[data-series="${index}"]`, { strokeDasharray: dash }]),
  [`& path[data-series="${BEFORE}"]`, { strokeDasharray: '4 4', strokeWidth: 1.5 }],
]);

/** Prevents a long name without spaces from widening the chart beyond the screen. */
const legend = { '& .MuiChartsLegend-label': { overflowWrap: 'anywhere' } };

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

/** Shows lines or stacked bars in the console's colours, with a legend above. */
export function TimeChart({ kind, labels, series, others, before, format, height = 240 }: ChartProps) {
  const { t } = useTranslation();
  const colours = useSeriesColours();
  const neutral = useNeutralColour();
  const shown = largestSeries(series, t('chart.other'));
  const folded = series.length > shown.length;
  const look = kind === 'line' ? { curve: 'linear' as const, showMark: labels.length <= 2 } : { stack: 'all' };
  const part = (id: string, { name, values }: Series, color: string) => ({
    id,
    label: name,
    data: [...values],
    color,
    valueFormatter: (value: number | null) => (value === null ? UNKNOWN : format(value)),
    ...look,
  });
  const parts = [
    ...shown.map((one, index) =>
      part(`${index}`, one, folded && index === shown.length - 1 ? neutral : (colours[index] ?? neutral)),
    ),
    ...(others === undefined ? [] : [part(OTHERS, others, neutral)]),
    ...(before === undefined ? [] : [part(BEFORE, before, neutral)]),
  ];
  const frame = {
    height,
    skipAnimation: true,
    hideLegend: parts.length < 2,
    grid: { horizontal: true },
    margin: { left: 0, right: 24, top: 8, bottom: 0 },
    yAxis: [{ width: 64, valueFormatter: format, disableLine: true, disableTicks: true }],
    slotProps: {
      legend: {
        direction: 'horizontal' as const,
        position: { vertical: 'top' as const, horizontal: 'start' as const },
      },
    },
  };
  if (kind === 'line') {
    return (
      <LineChart
        {...frame}
        sx={{ ...legend, ...strokes }}
        xAxis={[{ data: [...labels], scaleType: 'point', disableLine: true, disableTicks: true }]}
        series={parts}
      />
    );
  }
  return (
    <BarChart
      {...frame}
      sx={legend}
      borderRadius={2}
      xAxis={[{ data: [...labels], scaleType: 'band', disableLine: true, disableTicks: true }]}
      series={parts}
    />
  );
}

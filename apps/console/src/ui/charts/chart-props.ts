import type { Series } from './series.ts';

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

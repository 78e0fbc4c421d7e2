import type { Series } from './series.ts';

export interface ChartProps {
  kind: 'line' | 'bar';
  /** What it shows, for screen readers; the section's title asks the question. */
  label: string;
  /** Along the x axis, in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** All that the caller left out of the series, together; neutral. */
  others?: Series | undefined;
  /** Beside the lines, dashed and neutral: what they are compared with. */
  before?: Series;
  /** The values' unit: money, numbers, milliseconds. */
  format: (value: number) => string;
  height?: number;
}

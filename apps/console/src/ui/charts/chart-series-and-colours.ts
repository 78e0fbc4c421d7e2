import { useColorScheme } from '@mui/material/styles';
import { dark, light } from '../theme/design-tokens.ts';

/** Returns the colours of chart series in order for the current colour scheme. */
export function useSeriesColours(): readonly string[] {
  const { colorScheme } = useColorScheme();
  return colorScheme === 'dark' ? dark.series : light.series;
}

export function useNeutralColour(): string {
  const { colorScheme } = useColorScheme();
  return colorScheme === 'dark' ? dark.textDisabled : light.textDisabled;
}

export interface Series {
  name: string;
  /** One value per label; null is unknown and leaves a gap. */
  values: readonly (number | null)[];
}

const MOST_SERIES = 8;

/** Returns the series by size; of more than eight, the seven largest and the sum of the rest. */
export function largestSeries(series: readonly Series[], otherName: string): Series[] {
  const sorted = series.toSorted((a, b) => sum(b) - sum(a));
  if (sorted.length <= MOST_SERIES) return sorted;
  const rest = sorted.slice(MOST_SERIES - 1);
  const length = Math.max(...rest.map(({ values }) => values.length));
  const values = Array.from({ length }, (_, index) =>
    rest.reduce((total, { values }) => total + (values[index] ?? 0), 0),
  );
  return [...sorted.slice(0, MOST_SERIES - 1), { name: otherName, values }];
}

function sum({ values }: Series): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

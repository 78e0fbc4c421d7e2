import { describe, expect, it } from 'vitest';
import { largestSeries, type Series } from './chart-series-and-colours.ts';

const named = (name: string, ...values: (number | null)[]): Series => ({ name, values });

describe('largestSeries', () => {
  it('keeps up to eight series, the largest first', () => {
    const shown = largestSeries([named('a', 1, 1), named('b', 5, null), named('c', 3, 0)], 'other');
    expect(shown.map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });

  it('sums the series after the seventh, so that the total is unchanged', () => {
    const many = Array.from({ length: 12 }, (_, index) => named(`s${index}`, index, 1));
    const shown = largestSeries(many, 'other');
    expect(shown).toHaveLength(8);
    expect(shown.at(-1)).toEqual({ name: 'other', values: [0 + 1 + 2 + 3 + 4, 5] });
  });
});

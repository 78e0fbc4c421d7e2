import { expect, it } from 'vitest';
import { relativeChange } from './key-figure-and-change.tsx';

it('returns no change without a comparable value', () => {
  expect(relativeChange(5, 0)).toBeUndefined();
  expect(relativeChange(undefined, 4)).toBeUndefined();
  expect(relativeChange(500, 4)).toBeUndefined();
  expect(relativeChange(6, 4)).toBe(0.5);
});

import { expect, test } from 'vitest';
import { createChance, createZipf } from './random.ts';

test('user frequencies follow Zipf’s law', () => {
  const next = createZipf(createChance(1), 100, 1);
  const counts = Array.from({ length: 100 }, () => 0);
  for (let nth = 0; nth < 200_000; nth += 1) {
    const user = next();
    counts[user] = (counts[user] ?? 0) + 1;
  }
  const [first = 0, second = 0, , , fifth = 0] = counts;
  expect(first / second).toBeCloseTo(2, 1);
  expect(first / fifth).toBeCloseTo(5, 0);
});

import { expect, test } from 'vitest';
import { SlotList } from './slot-list.ts';

test('items stay until they are removed, and later ones take their slots', () => {
  const list = new SlotList<string>();
  const [first, second] = [list.add('first'), list.add('second')];
  expect([...list]).toEqual(['first', 'second']);
  list.remove(first);
  expect([...list]).toEqual(['second']);
  expect(list.add('third')).toBe(first);
  list.remove(second);
  expect([...list]).toEqual(['third']);
});

test('items that are removed while the others are read are left out', () => {
  const list = new SlotList<number>();
  const slots = [1, 2, 3].map((item) => list.add(item));
  const seen: number[] = [];
  for (const item of list) {
    seen.push(item);
    if (item === 1) list.remove(slots[1] ?? -1);
  }
  expect(seen).toEqual([1, 3]);
});

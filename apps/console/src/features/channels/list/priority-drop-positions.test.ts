import { channelId } from '@switchyard/contract/ids';
import { expect, it } from 'vitest';
import {
  blocksOf,
  PRIORITY_MAX,
  type PriorityPosition,
  positionsOf,
  prioritiesFor,
} from './priority-drop-positions.ts';

const ranksOf = (ranks: Record<number, number[]>) =>
  Object.entries(ranks)
    .map(([priority, ids]) => ({ priority: Number(priority), ids: ids.map((id) => channelId.parse(id)) }))
    .toSorted((a, b) => b.priority - a.priority);
const changes = (ranks: Record<number, number[]>, id: number, place: PriorityPosition) =>
  Object.fromEntries(prioritiesFor(ranksOf(ranks), channelId.parse(id), place));
const between = (above: number | undefined, below: number | undefined): PriorityPosition => ({
  kind: 'between',
  above,
  below,
});
const among = (priority: number): PriorityPosition => ({ kind: 'among', priority });

it('groups rows by priority, with positions above, among and below each group', () => {
  const blocks = blocksOf([7, 7, 3]);
  expect(blocks).toEqual([
    { priority: 7, first: 0, last: 1 },
    { priority: 3, first: 2, last: 2 },
  ]);
  expect(positionsOf(blocks)).toEqual([
    between(undefined, 7),
    among(7),
    between(7, 3),
    among(3),
    between(3, undefined),
  ]);
  expect(positionsOf([])).toEqual([]);
});

it('moves a channel to another group’s priority and changes nothing within its own', () => {
  expect(changes({ 7: [1], 3: [2] }, 2, among(7))).toEqual({ 2: 7 });
  expect(changes({ 7: [1], 3: [2] }, 2, among(3))).toEqual({});
});

it('takes the middle of a gap or the number beyond the first or last priority', () => {
  expect(changes({ 9: [1], 3: [2], 0: [3] }, 3, between(9, 3))).toEqual({ 3: 6 });
  expect(changes({ 9: [1], 3: [2], 0: [3] }, 3, between(undefined, 9))).toEqual({ 3: 10 });
  expect(changes({ 9: [1, 4], 3: [2] }, 4, between(3, undefined))).toEqual({ 4: 2 });
});

it('moves as few other channels as possible when no number is free', () => {
  expect(changes({ 5: [1], 4: [2, 3], 3: [4], 1: [9] }, 9, between(5, 4))).toEqual({ 1: 6, 9: 5 });
  expect(changes({ 6: [1, 2], 5: [3], 4: [4], 1: [9] }, 9, between(5, 4))).toEqual({ 4: 3, 9: 4 });
  expect(changes({ 8: [1], 6: [2], 5: [3], 4: [4, 5, 6], 9: [9] }, 9, between(5, 4))).toEqual({ 2: 7, 3: 6, 9: 5 });
});

it('moves channels in the other direction at the limits of priorities', () => {
  expect(changes({ 1: [8], 0: [1, 2, 9] }, 9, between(0, undefined))).toEqual({ 1: 1, 2: 1, 8: 2, 9: 0 });
  const top = PRIORITY_MAX;
  expect(changes({ [top]: [1, 2], 0: [9] }, 9, between(undefined, top))).toEqual({ 1: top - 1, 2: top - 1, 9: top });
});

it('uses the number that the channel itself leaves and changes nothing if it is already there', () => {
  expect(changes({ 5: [1], 4: [9], 3: [2] }, 9, between(5, 4))).toEqual({});
  expect(changes({ 5: [1], 4: [9], 3: [2] }, 9, between(4, 3))).toEqual({});
  expect(changes({ 5: [1], 4: [9, 8], 3: [2] }, 9, between(5, 4))).toEqual({ 1: 6, 9: 5 });
});

it('moves every channel to every position and preserves the order of the others', () => {
  const ranks = { 12: [1, 2], 11: [3], 10: [4, 5], 4: [6], 1: [7], 0: [8, 9] };
  const before = new Map(ranksOf(ranks).flatMap(({ priority, ids }) => ids.map((id) => [id, priority] as const)));
  for (const id of before.keys())
    for (const place of positionsOf(blocksOf([...before.values()]))) {
      const after = new Map([...before, ...prioritiesFor(ranksOf(ranks), id, place)]);
      const others = [...before.keys()].filter((other) => other !== id);
      for (const a of others)
        for (const b of others)
          expect(Math.sign((after.get(a) ?? 0) - (after.get(b) ?? 0))).toBe(
            Math.sign((before.get(a) ?? 0) - (before.get(b) ?? 0)),
          );
      if (place.kind !== 'between') continue;
      for (const other of others) {
        const isBelow = (before.get(other) ?? 0) <= (place.below ?? -1);
        expect((after.get(other) ?? 0) < (after.get(id) ?? 0)).toBe(isBelow);
      }
    }
});

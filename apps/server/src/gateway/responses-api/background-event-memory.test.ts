import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { EventMemory } from './background-event-memory.ts';
import { ResponseEvents } from './background-response-events.ts';

const MEGABYTE = 1_048_576;
const clock = createTestClock(0);

/** Stores a response of about that many megabytes. @returns whether more events of the user fit */
function store(memory: EventMemory, userId: number, id: string, megabytes: number, isEnded = true): boolean {
  let hasRoom = true;
  const events = new ResponseEvents(clock, (bytes) => {
    hasRoom = memory.reserve(userId, bytes);
    return hasRoom;
  });
  events.add({ type: 'response.output_text.delta', delta: 'x'.repeat(megabytes * MEGABYTE - 200) });
  if (isEnded) memory.keep(userId, id, events);
  return hasRoom;
}

const listKept = (memory: EventMemory, userId: number, ids: readonly string[]): string[] =>
  ids.filter((id) => memory.find(userId, id) !== undefined);

test('a user’s new events displace only the oldest of that user beyond the share', () => {
  const memory = new EventMemory();
  store(memory, 1, 'other', 3);
  const ids = Array.from({ length: 40 }, (_, nth) => `own-${nth}`);
  for (const id of ids) expect(store(memory, 2, id, 2)).toBe(true);
  expect(listKept(memory, 2, ids)).toEqual(ids.slice(-4));
  expect(listKept(memory, 1, ['other'])).toEqual(['other']);
  expect(memory.find(1, 'own-39')).toBeUndefined();
});

test('running responses of one user leave room for those of others', () => {
  const memory = new EventMemory();
  const rooms = Array.from({ length: 10 }, (_, nth) => store(memory, 1, `running-${nth}`, 3, false));
  expect(rooms.slice(0, 3)).toEqual([true, true, false]);
  expect(store(memory, 2, 'other', 3, false)).toBe(true);
});

test('full memory takes room from the user with the most events', () => {
  const memory = new EventMemory();
  for (let user = 1; user <= 4; user += 1)
    for (const id of ['first', 'second']) store(memory, user, id, user === 2 ? 4 : 3.9);
  expect(store(memory, 5, 'new', 2)).toBe(true);
  expect(listKept(memory, 2, ['first', 'second'])).toEqual(['second']);
  for (const user of [1, 3, 4]) expect(listKept(memory, user, ['first', 'second'])).toHaveLength(2);
});

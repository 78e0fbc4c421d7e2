import { expect, test } from 'vitest';
import { parseTaskId } from './task-and-call-ids.ts';

test.each([
  ['abc-1', 'abc-1'],
  [' video:1~2 ', 'video:1~2'],
  [1_700_000_000_000_123, '1700000000000123'],
  [1_234_567_890_123_456_789n, '1234567890123456789'],
  [{ id: 'a' }, 'a'],
  [{ task_id: '', id: 7 }, '7'],
  [{ taskId: { id: 'a' } }, 'a'],
  [['a'], 'a'],
])('reads the id in %j', (said, id) => {
  expect(parseTaskId(said)).toBe(id);
});

test.each(['', '.', '..', '../account', 'a/b', 'a?b', 'a b', 'a%2fb', 1.5, 2 ** 60, null, true, {}, ['a', 'b']])(
  'finds no id in %j',
  (said) => {
    expect(parseTaskId(said)).toBeUndefined();
  },
);

test('reads only ids that match the given pattern', () => {
  expect(parseTaskId('abc', /^\d+$/)).toBeUndefined();
  expect(parseTaskId(12, /^\d+$/)).toBe('12');
});

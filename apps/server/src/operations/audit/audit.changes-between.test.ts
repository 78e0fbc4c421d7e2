import { expect, test } from 'vitest';
import { diffRecords } from './audit.ts';

test('names what differs and nothing else, inside of fields too', () => {
  const before = { name: 'a', weight: 1, models: ['x'], rates: { input: 1, output: 2 }, cost: null };
  const after = { name: 'a', weight: 5, models: ['x', 'y'], rates: { input: 3, output: 2 }, cost: { ratio: 1 } };
  expect(diffRecords(before, after)).toEqual({
    weight: { before: 1, after: 5 },
    models: { before: ['x'], after: ['x', 'y'] },
    'rates.input': { before: 1, after: 3 },
    cost: { before: null, after: { ratio: 1 } },
  });
});

test('looks only at the fields that are named, and shows one that came or went as null', () => {
  expect(diffRecords({ seen: 1 }, { seen: 2, added: 3 }, ['added'])).toEqual({ added: { before: null, after: 3 } });
  expect(diffRecords({ gone: 1 }, {})).toEqual({ gone: { before: 1, after: null } });
});

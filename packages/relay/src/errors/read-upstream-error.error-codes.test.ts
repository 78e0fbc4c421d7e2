import { expect, test } from 'vitest';
import { createErrorCodeReader } from './read-upstream-error.ts';

const kindOf = createErrorCodeReader({ 1008: 'out-of-credit', Arrearage: 'out-of-credit' });

test.each([
  { error: { code: 'Arrearage', message: 'x' } },
  { error: { code: 1008 } },
  { error: { code: '1008' } },
  { code: 1008, message: 'x' },
  { error_code: 1008, error_msg: 'x' },
  { base_resp: { status_code: 1008 } },
])('finds a code in any of the vendors’ positions: %j', (body) => {
  expect(kindOf(200, body, {})).toBe('out-of-credit');
});

test.each([{ code: 'constructor' }, { code: 'x' }, {}, [], null, 'Arrearage', { code: { code: 1008 } }])(
  'leaves an unknown code to the common reading: %j',
  (body) => {
    expect(kindOf(400, body, {})).toBeUndefined();
  },
);

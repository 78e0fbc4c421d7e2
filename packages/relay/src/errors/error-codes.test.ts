import { expect, test } from 'vitest';
import { createErrorCodeReader } from './error-codes.ts';

const kindOf = createErrorCodeReader({ 1008: 'out-of-credit', Arrearage: 'out-of-credit' });

test.each([
  { error: { code: 'Arrearage', message: 'x' } },
  { error: { code: 1008 } },
  { error: { code: '1008' } },
  { code: 1008, message: 'x' },
  { error_code: 1008, error_msg: 'x' },
  { base_resp: { status_code: 1008 } },
])('a code is found where vendors put it: %j', (body) => {
  expect(kindOf(200, body, {})).toBe('out-of-credit');
});

test.each([{ code: 'constructor' }, { code: 'x' }, {}, [], null, 'Arrearage', { code: { code: 1008 } }])(
  'what is no known code leaves the common reading: %j',
  (body) => {
    expect(kindOf(400, body, {})).toBeUndefined();
  },
);

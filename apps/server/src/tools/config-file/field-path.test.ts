import { expect, test } from 'vitest';
import { formatPath, quoteSafely } from './field-path.ts';

test('a place reads like code, and no name in it moves a terminal’s cursor', () => {
  expect(formatPath(['channels', 3, 'model_headers', 'x-team'])).toBe('channels[3].model_headers.x-team');
  expect(formatPath(['prices', 'gpt-4.1*', 'rates'])).toBe('prices["gpt-4.1*"].rates');
  expect(formatPath(['channels', 'a\u001b[2Jb\u009b\u202e'])).toBe('channels["a\\u001b[2Jb\\u009b\\u202e"]');
  expect(quoteSafely({ 渠道: 'é' })).toBe('{"渠道":"é"}');
});

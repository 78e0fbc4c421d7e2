import { expect, test } from 'vitest';
import { checkSameOrigin } from './same-origin.ts';

const check = (mode: string, site: string) => () =>
  checkSameOrigin({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }, undefined, undefined);

test('a link that was opened from outside a browser causes nothing, a script of the console does', () => {
  expect(check('navigate', 'none')).toThrow('must come from the console');
  expect(check('navigate', 'cross-site')).toThrow('must come from the console');
  expect(check('cors', 'same-site')).toThrow('must come from the console');
  expect(check('cors', 'same-origin')).not.toThrow();
  expect(check('cors', 'none')).not.toThrow();
});

import { expect, test } from 'vitest';
import { readBoolean, readInteger, readNumber, readText, readTime } from './row-values.ts';

test('texts are read in any encoding, without control characters', () => {
  expect(readText(Buffer.from('渠道'))).toBe('渠道');
  expect(readText(Uint8Array.of(0xc7, 0xfe, 0xb5, 0xc0))).toBe('渠道');
  expect(readText(' \u001b[31mred\u0000\n')).toBe('[31mred');
  expect([null, undefined, {}, []].map(readText)).toEqual(['', '', '', '']);
});

test('whole numbers are exact, however large and however written', () => {
  expect(readInteger(9_007_199_254_740_993n)).toBe(9_007_199_254_740_993n);
  expect(readInteger('-9007199254740993')).toBe(-9_007_199_254_740_993n);
  expect(readInteger('12.00')).toBe(12n);
  expect(['', 'many', null, Number.NaN, '1e5'].map(readInteger)).toEqual(Array.from({ length: 5 }, () => undefined));
  expect(readNumber(9_007_199_254_740_993n, 7)).toBe(7);
});

test('moments are seconds, whether they were seconds, parts of them or dates', () => {
  const moment = 1_700_000_000;
  const forms = [moment, BigInt(moment), `${moment}`, moment * 1_000, `${moment}000`, new Date(moment * 1_000)];
  expect(forms.map(readTime)).toEqual(forms.map(() => moment));
  expect(readTime('2023-11-14T22:13:20Z')).toBe(moment);
  expect([BigInt(moment) * 1_000_000n, BigInt(moment) * 1_000_000_000n].map(readTime)).toEqual([moment, moment]);
  expect([null, 0, -1, '', 'yesterday'].map(readTime)).toEqual([0, 0, 0, 0, 0]);
  // Of what no database holds, the end of the year 9999.
  expect([1e30, '9'.repeat(40)].map(readTime)).toEqual([253_402_300_799, 253_402_300_799]);
});

test('reads booleans of every database', () => {
  expect([true, 1, 1n, '1', 'true', 't', Uint8Array.of(1)].map(readBoolean)).not.toContain(false);
  expect([false, 0, 0n, '0', 'false', null, '', Uint8Array.of(0)].map(readBoolean)).not.toContain(true);
});

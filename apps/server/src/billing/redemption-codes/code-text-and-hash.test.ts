import { expect, test } from 'vitest';
import { createCodeHint, generateCode, normalizeCode } from './code-text-and-hash.ts';

test('a code has 150 random bits in letters that cannot be taken for each other', () => {
  const codes = Array.from({ length: 2_000 }, () => generateCode(''));
  for (const code of codes) expect(code).toMatch(/^(?:[A-HJ-NP-Z2-9]{5}-){5}[A-HJ-NP-Z2-9]{5}$/);
  expect(new Set(codes).size).toBe(2_000);
  const counts = new Map<string, number>();
  for (const letter of codes.join('').replaceAll('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(32);
  // 1,875 of each are expected; a letter that is drawn wrongly often is far outside of this.
  for (const count of counts.values()) expect(Math.abs(count - 1_875)).toBeLessThan(300);
});

test('a prefix is separated from the rest', () => {
  expect(generateCode('SPRING')).toMatch(/^SPRING-[A-Z2-9]{5}-/);
  expect(generateCode('new-')).toMatch(/^new-[A-Z2-9]{5}-/);
});

test('a typed code matches in any case, with other dashes, spaces and full-width characters', () => {
  const bare = 'SPRINGABCDE23456';
  for (const typed of [
    'spring-abcde-23456',
    ' Spring ABCDE 23456 ',
    'SPRING–ABCDE—23456',
    'springabcde23456',
    'ＳＰＲＩＮＧ－ＡＢＣＤＥ－２３４５６',
    'spring\u00A0abcde\u3000234\t56',
  ])
    expect(normalizeCode(typed)).toBe(bare);
  expect(normalizeCode('0af1-not-it')).not.toBe(bare);
});

test('a hint shows too little to guess the rest', () => {
  expect(createCodeHint('SPRING-ABCDE-23456')).toBe('…3456');
});

import { describe, expect, it } from 'vitest';
import { pairsToRows, parsePairs, rowsToPairs } from './pair-rows.ts';

describe('pairsOf', () => {
  it('gives back what was turned into rows', () => {
    const pairs = { 'gpt-4': '+gpt-5', 'claude-*': 'claude-x' };
    expect(rowsToPairs(pairsToRows(pairs))).toEqual(pairs);
  });

  it('leaves out rows without a name and lets the later of two names win', () => {
    const rows = [
      { key: 1, name: ' a ', value: '1' },
      { key: 2, name: '', value: 'lost' },
      { key: 3, name: 'a', value: '2' },
    ];
    expect(rowsToPairs(rows)).toEqual({ a: '2' });
  });
});

describe('parsePairs', () => {
  it('reads an object of texts, and nothing as an empty one', () => {
    expect(parsePairs('{"a": "b"}')).toEqual({ a: 'b' });
    expect(parsePairs(' ')).toEqual({});
  });

  it.each(['{', '[]', '"a"', 'null', '{"a": 1}', '{"a": {}}'])('refuses %s', (text) => {
    expect(parsePairs(text)).toBeUndefined();
  });
});

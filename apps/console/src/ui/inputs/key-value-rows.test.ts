import { describe, expect, it } from 'vitest';
import { pairsToRows, parsePairs, rowsToPairs } from './key-value-rows.ts';

describe('rowsToPairs', () => {
  it('reverses pairsToRows', () => {
    const pairs = { 'gpt-4': '+gpt-5', 'claude-*': 'claude-x' };
    expect(rowsToPairs(pairsToRows(pairs))).toEqual(pairs);
  });

  it('ignores rows without a name and uses the last of two equal names', () => {
    const rows = [
      { key: 1, name: ' a ', value: '1' },
      { key: 2, name: '', value: 'lost' },
      { key: 3, name: 'a', value: '2' },
    ];
    expect(rowsToPairs(rows)).toEqual({ a: '2' });
  });
});

describe('parsePairs', () => {
  it('parses an object of strings, and empty text as an empty object', () => {
    expect(parsePairs('{"a": "b"}')).toEqual({ a: 'b' });
    expect(parsePairs(' ')).toEqual({});
  });

  it.each(['{', '[]', '"a"', 'null', '{"a": 1}', '{"a": {}}'])('rejects %s', (text) => {
    expect(parsePairs(text)).toBeUndefined();
  });
});

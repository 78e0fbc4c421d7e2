import { describe, expect, it } from 'vitest';
import { InvalidRequest } from './invalid-request.ts';
import { checkJsonSize } from './json-size.ts';

function check(text: string): void {
  checkJsonSize(Buffer.from(text));
}

const messages = (count: number, one: string): string =>
  `{"model":"a","messages":[${Array.from({ length: count }, () => one).join(',')}]}`;

describe('the size of a request’s JSON', () => {
  it('is refused before parsing would make many times its bytes of it', () => {
    expect(() => check(messages(100_000, '{}'))).toThrow('more than 100,000 objects and lists');
    expect(() => check(messages(100_000, '[]'))).toThrow(InvalidRequest);
    expect(() => check(messages(1_000_001, '1'))).toThrow('more than 1,000,000 values');
    expect(() => check('['.repeat(65))).toThrow('deeper than 64 levels');
  });

  it('admits what stays below', () => {
    check(messages(99_998, '{}'));
    check(messages(900_000, '1'));
    check(`${'['.repeat(64)}${']'.repeat(64)}`);
    check(`[${'[[]],'.repeat(1_000)}[]]`);
  });

  it('does not count what stands inside strings, however they are escaped', () => {
    const inside = '{[,'.repeat(200_000);
    for (const text of [
      inside,
      `"${inside}`,
      `\\${inside}`,
      `${inside}\\`,
      `"${'x'.repeat(99)}"${inside}\\"`,
    ]) {
      check(JSON.stringify({ [text]: text }));
    }
    expect(() => check(`["\\\\",${'['.repeat(70)}`)).toThrow('deeper');
  });

  it('survives what is no JSON', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a', `"${'\\'.repeat(100)}`]) check(text);
  });
});

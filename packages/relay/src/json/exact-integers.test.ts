import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLongInteger, parseMessage, parseWithIntegers } from './exact-integers.ts';
import { isObject, numberOf, parseJson, parseToolJson } from './json.ts';

const signed = (digits: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '-'), digits).map(([sign, text]) => sign + text);
/** Integers beyond 2^53, as JSON writes them. */
const long = signed(fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }).map(String));
const integer = fc.oneof(long, signed(fc.integer({ min: 1 }).map(String)));

describe('parseToolJson', () => {
  it('keeps the digits of integers anywhere', () => {
    const trap = fc.constantFrom('', '\\\\', '"12345678901234567890,', ':12345678901234567890}', '\\"');
    const nested = fc.tuple(long, fc.array(integer, { maxLength: 4 }), trap, fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(nested, ([id, list, first, second]) => {
        const [one, other] = [JSON.stringify(first), JSON.stringify(second)];
        const text = `{"a":[${[...list, one, id].join(',')}],"b":{"c":${id},"d":[[${other},{"e":${id}}]]},"f":${one}}`;
        expect(JSON.stringify(parseToolJson(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
    '-9223372036854775808',
    '340282366920938463463374607431768211456',
    `1${'0'.repeat(999)}`,
  ])('keeps the digits of %s', (digits) => {
    for (const text of [digits, `[${digits}]`, `{"a":${digits}}`, `{"a" : ${digits} , "b":[1, ${digits}\n]}`])
      expect(JSON.stringify(parseToolJson(text))).toBe(text.replaceAll(/\s/g, ''));
  });

  it.each(['9007199254740991', '-9007199254740991', '12345', '1234567890.123456789', '0.12345678901234567', '1e300'])(
    'reads %s as a number',
    (text) => {
      expect(parseToolJson(`{"a":${text}}`)).toEqual({ a: Number(text) });
    },
  );

  it.each([
    '{12345678901234567890:1}',
    '{"a":012345678901234567890}',
    '{"a":12345678901234567890"b"}',
    '[12345678901234567890 1]',
    '[1 12345678901234567890]',
    '--12345678901234567890',
    '"12345678901234567890',
    '{"a":12345678901234567890',
  ])('refuses %s as JSON does', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseWithIntegers(text)).toThrow(SyntaxError);
    expect(parseToolJson(text)).toBeUndefined();
  });

  it('reads other values like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        fc.pre(!hasLongInteger(text));
        expect(parseWithIntegers(text)).toEqual(JSON.parse(text));
        expect(parseMessage(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps a member named __proto__', () => {
    const text = '{"__proto__":{"a":12345678901234567890}}';
    expect(JSON.stringify(parseToolJson(text))).toBe(text);
  });

  it('reads an integer longer than identifiers as a number', () => {
    expect(parseToolJson(`[${'9'.repeat(1_001)}]`)).toEqual([Infinity]);
  });

  it('returns values that no check accepts as an object or a number, and that deep copies keep', () => {
    const value = parseToolJson('12345678901234567890');
    expect(isObject(value)).toBe(false);
    expect(numberOf(value)).toBeUndefined();
    expect(JSON.stringify(structuredClone({ a: [value] }))).toBe('{"a":[12345678901234567890]}');
  });
});

describe('parseJson', () => {
  const members = ['input', 'args', 'arguments', 'parameters', 'input_schema', 'parametersJsonSchema', 'schema'];

  it.each(members)('keeps the digits of integers within %s', (member) => {
    const text = `{"tools":[{"${member}":{"a":[{"b":12345678901234567890}]}}]}`;
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  it('reads long integers as numbers outside tool calls and schemas', () => {
    const text =
      '{"max_tokens":12345678901234567890,"seed":-12345678901234567890,"input":{"n":12345678901234567890},' +
      '"usage":{"input_tokens":12345678901234567890,"details":[12345678901234567890]}}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe('hasLongInteger', () => {
  it('finds every long integer at any position', () => {
    fc.assert(
      fc.property(long, fc.nat(40), fc.constantFrom('[', '{"a":', '[ ', '[1,'), (digits, offset, opening) => {
        expect(hasLongInteger(`${' '.repeat(offset)}${opening}${digits}${opening.startsWith('{') ? '}' : ']'}`)).toBe(
          true,
        );
      }),
    );
  });

  it('finds nothing in texts, fractions and short integers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.double({ noNaN: true, min: -1, max: 1 }), fc.integer(), fc.lorem())),
        (values) => {
          expect(hasLongInteger(JSON.stringify({ values }))).toBe(false);
        },
      ),
    );
    expect(hasLongInteger(`[0.${'1'.repeat(10_000)},1]`)).toBe(false);
    expect(hasLongInteger('{"id":"call_12345678901234567890"}')).toBe(false);
  });

  it('finds none in texts with more than two million digits of them, which would take a second to convert', () => {
    const listOf = (count: number): string =>
      `{"input":[${Array.from({ length: count }, () => '9'.repeat(20)).join(',')}]}`;
    expect(hasLongInteger(listOf(100_000))).toBe(true);
    expect(hasLongInteger(listOf(100_001))).toBe(false);
    expect(parseToolJson(listOf(100_001))).toMatchObject({ input: expect.arrayContaining([1e20]) });
  });

  it('finds a long integer after a long fraction and after a long number', () => {
    for (let length = 1; length < 80; length++) {
      const digits = '1'.repeat(length);
      expect(hasLongInteger(`[0.${digits},1234567890123456]`)).toBe(true);
      expect(hasLongInteger(`["${digits}a",1234567890123456]`)).toBe(true);
    }
  });
});

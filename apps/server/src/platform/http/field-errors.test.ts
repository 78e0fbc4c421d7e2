import { isSecret, settingDefinitions, settingNames } from '@switchyard/contract/operations/settings';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AppError } from './app-error.ts';
import { invalidInput, issueContext } from './field-errors.ts';

function refuse(schema: z.ZodType, given: unknown): AppError {
  const { error } = schema.safeParse(given, issueContext);
  if (error === undefined) throw new Error('the value is valid');
  return invalidInput(error.issues, given);
}

const long = 'x'.repeat(500);
const url = z.url({ protocol: /^https?$/ });
const onlyA = z.string().regex(/^a$/);

describe('a message names the field, the rule and the value', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'it is required'],
    [z.coerce.number(), undefined, 'it is required'],
    [z.coerce.number(), 'abc', 'it must be a number, not "abc"'],
    [z.int(), 1.5, 'it must be a whole number, not 1.5'],
    [z.number(), null, 'it must be a number, not null'],
    [z.array(z.int()), true, 'it must be a list, not true'],
    [z.string(), { a: 1 }, 'it must be a text'],
    [z.boolean(), long, `it must be true or false, not "${'x'.repeat(80)}…"`],
    [z.int().min(1), 0, 'it must be at least 1, not 0'],
    [z.coerce.number().max(100), '500', 'it must be at most 100, not 500'],
    [z.number().gt(0), 0, 'it must be more than 0, not 0'],
    [z.string().min(3), 'ab', 'it must have at least 3 characters, not 2'],
    [z.string().trim().min(1), ' ', 'it must not be empty'],
    [z.string().max(1), '👍👍', 'it must have at most 1 character, not 2'],
    [z.array(z.int()).max(2), [1, 2, 3], 'it must have at most 2 entries, not 3'],
    [z.string().length(4), 'abc', 'it must have exactly 4 characters, not 3'],
    [z.number().multipleOf(15), 7, 'it must be a multiple of 15, not 7'],
    [z.enum(['a', 'b']), 'c', 'it must be one of "a", "b", not "c"'],
    [z.literal(1), 2, 'it must be 1, not 2'],
    [z.email(), 'ann', 'it must be an email address such as name@example.com, not "ann"'],
    [z.url(), 'x', 'it must be a URL such as https://example.com, not "x"'],
    [url, 'ftp://x', 'it must be a URL such as https://example.com, not "ftp://x"'],
    [
      z.url({ protocol: /^ftp$/ }),
      'https://x.com',
      'it must be a URL whose protocol matches /^ftp$/, not "https://x.com"',
    ],
    [z.iso.date(), 'May', 'it must be a date such as 2026-01-31, not "May"'],
    [onlyA, 'b', 'it must match the pattern /^a$/, not "b"'],
    [z.union([z.ipv4(), z.ipv6()]), 'x', 'it must be an IPv4 address or be an IPv6 address, not "x"'],
    [z.union([z.int(), z.object({ a: z.int() })]), {}, 'it must be a number or have a valid a'],
    [z.discriminatedUnion('from', [z.object({ from: z.literal('url') })]), {}, 'it.from must be one of "url"'],
    [z.strictObject({}), { b: 1 }, 'it must not have the fields "b"'],
    [z.record(onlyA, z.int()), { b: 1 }, 'it.b must have another name (must match the pattern /^a$/), not "b"'],
    [z.string().refine(() => false), 'x', 'it must be valid, not "x"'],
    [z.string().refine(() => false, 'must not be x'), 'x', 'it must not be x'],
    [z.string().regex(/^a$/, 'Use only a'), 'x', 'it: Use only a'],
  ])('%#: %j', (schema, value, message) => {
    expect(refuse(z.object({ it: schema }), { it: value }).message).toBe(message);
  });

  test('a value of slashes takes milliseconds', () => {
    const readCpuMs = startCpuTimer();
    const { message } = refuse(z.object({ it: z.enum(['a']) }), { it: '/'.repeat(60_000) });
    const cpuMs = readCpuMs();
    expect(message).toBe(`it must be "a", not "${'/'.repeat(80)}…"`);
    expect(cpuMs).toBeLessThan(500);
  });

  test('also without a field', () => {
    expect(refuse(z.object({}), 1).message).toBe('The input must be an object, not 1');
    expect(
      refuse(
        z.object({}).refine(() => false, 'Set a or b'),
        {},
      ).message,
    ).toBe('Set a or b');
  });
});

test('a field error has the limit and the type or format in a machine-readable form', () => {
  const fields = { name: z.string().max(2), size: z.int(), link: z.union([z.literal(''), url]), gone: z.int() };
  expect(refuse(z.object(fields), { name: 'abc', size: 1.5, link: 'x' }).fields).toMatchObject([
    { path: 'name', rule: 'too_big', limit: 2, expected: 'string' },
    { path: 'size', rule: 'invalid_type', expected: 'int' },
    { path: 'link', rule: 'invalid_format', expected: 'url' },
    { path: 'gone', rule: 'invalid_type', message: 'is required' },
  ]);
});

test('lists at most fifty fields', () => {
  const given = Array.from({ length: 100 }, () => 'x');
  expect(refuse(z.array(z.int()), given).fields).toHaveLength(50);
});

const secretOptions = settingNames.filter(isSecret).map((name) => settingDefinitions[name].option);

describe('a message never contains a possible secret', () => {
  const rules: readonly z.ZodType[] = [
    z.int(),
    z.coerce.number(),
    z.enum(['a', 'b']),
    z.string().max(3),
    z.string().min(50),
    onlyA,
    z.email(),
    z.ipv4(),
    z.union([z.ipv4(), z.ipv6()]),
    z.union([z.literal(''), url]),
    z.string().refine(() => false),
  ];

  test.each([
    'password',
    'current_password',
    'key',
    'api_key',
    'secret',
    'secrets',
    'token',
    'code',
    'verification_code',
    'proxy',
    'model_headers',
    'config',
    'value',
    ...secretOptions,
  ])('the value of the field %s stays secret', (name) => {
    for (const rule of rules) {
      const flat = refuse(z.object({ [name]: rule }), { [name]: 'canary' });
      const nested = refuse(z.object({ list: z.array(z.object({ [name]: rule })) }), { list: [{ [name]: 'canary' }] });
      expect(JSON.stringify([flat.message, flat.fields, nested.message, nested.fields])).not.toContain('canary');
    }
  });

  test('credentials in a URL stay secret', () => {
    for (const value of ['ftp://ann:canary@host', 'ftp://ann:can/canary@host'])
      expect(refuse(z.object({ link: url }), { link: value }).message).not.toContain('canary');
  });
});

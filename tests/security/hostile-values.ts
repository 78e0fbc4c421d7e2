/** Values of a schema, most of them valid and some of them hostile, the same for the same random numbers. */
import type { Random } from '../../apps/server/src/tools/demo/random.ts';

export interface Grammar {
  type?: string;
  properties?: Readonly<Record<string, Grammar>>;
  required?: readonly string[];
  propertyNames?: Grammar;
  additionalProperties?: Grammar | boolean;
  items?: Grammar;
  anyOf?: readonly Grammar[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

const words = [
  '1',
  'true',
  '2026-11-21',
  'default',
  'scripted',
  'gpt-*',
  'a@b.example',
  'id',
  '-created_time',
  'model',
  'x-team',
  'x'.repeat(40),
  '10.0.0.1',
  '10.0.0.0/8',
  '2001:db8::1',
  '0.5',
];
/** Text ids for which the public API has a number or a boolean. */
const codes = [1, 2, 3, 10, 100, 'true', 'false'];

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u0007\u001b[2J',
  '💥'.repeat(60),
  'é'.repeat(300),
  'x'.repeat(70_000),
  '__proto__',
  'constructor',
  'toString',
  "' or 1=1; drop table user; --",
  '%_%_%_%'.repeat(50),
  '../../../etc/passwd',
  'NaN',
  '-Infinity',
  '1e999',
  '9'.repeat(400),
  '0x10',
  '１２',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  'line\r\nbreak: 1',
  'http://127.0.0.1:1',
];

const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e308,
  2 ** 53,
  -(2 ** 63),
  5e-324,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { toString: 1, valueOf: 1 },
  JSON.parse('{"then":1}'),
  JSON.parse('{"__proto__":{"admin":true}}'),
  JSON.parse('{"constructor":{"prototype":{"admin":true}}}'),
];

export function pickHostileValue(random: Random): unknown {
  if (random.chance(0.002)) return Array.from({ length: 100_000 }, () => 1);
  if (random.chance(0.02)) return JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
  return random.chance(0.4) ? random.pick(hostileTexts) : random.pick(hostileValues);
}

/** @param hostility share of values that violate the schema */
export function generateValue(grammar: Grammar, random: Random, hostility: number): unknown {
  if (random.chance(hostility)) return pickHostileValue(random);
  if (grammar.const !== undefined) return grammar.const;
  if (grammar.enum !== undefined) return random.pick(grammar.enum);
  if (grammar.anyOf !== undefined) return generateValue(random.pick(grammar.anyOf), random, hostility);
  const { type } = grammar;
  if (type === 'object') return generateObject(grammar, random, hostility);
  if (type === 'array')
    return Array.from({ length: random.between(1, 3) }, () => generateValue(grammar.items ?? {}, random, hostility));
  if (type === 'integer' || type === 'number') return generateNumber(grammar, random);
  if (type === undefined) return random.pick(codes);
  if (type === 'boolean') return random.chance(0.5);
  return type === 'null' ? null : generateText(grammar, random);
}

function generateObject(grammar: Grammar, random: Random, hostility: number): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(grammar.properties ?? {})) {
    const isNeeded = grammar.required?.includes(name) === true;
    if (random.chance(isNeeded ? 1 - hostility / 2 : 0.4)) values[name] = generateValue(inner, random, hostility);
  }
  if (typeof grammar.additionalProperties === 'object')
    values[generateText(grammar.propertyNames ?? {}, random)] = generateValue(
      grammar.additionalProperties,
      random,
      hostility,
    );
  if (random.chance(hostility)) values[random.pick(hostileTexts)] = pickHostileValue(random);
  return values;
}

function generateNumber({ minimum, exclusiveMinimum = -1, maximum = 1e15 }: Grammar, random: Random): number {
  const least = minimum ?? exclusiveMinimum + 1;
  if (random.chance(0.2)) return random.chance(0.5) ? least : maximum;
  return random.between(Math.max(least, -1000), Math.min(maximum, Math.max(least, 0) + 50));
}

function generateText({ format, pattern, minLength = 0, maxLength = 64 }: Grammar, random: Random): string {
  if (format === 'uri') return 'http://127.0.0.1:1';
  const fitting = words.filter((word) => pattern === undefined || new RegExp(pattern, 'u').test(word));
  const word = fitting.length === 0 ? random.pick(words) : random.pick(fitting);
  return word.padEnd(minLength, 'x').slice(0, maxLength);
}

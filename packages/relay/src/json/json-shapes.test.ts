import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { parseJson } from './json.ts';
import { hasManyShapes, SHAPES_MAX } from './json-shapes.ts';
import { findBodyExcess } from './request-json-limits.ts';

/** Number of objects, each with `fields` names from `nameOf`, in one list. */
function listOfObjects(count: number, fields: number, nameOf: (object: number, field: number) => string): string {
  const objects = Array.from({ length: count }, (_, object) => {
    const members = Array.from({ length: fields }, (__, field) => `${JSON.stringify(nameOf(object, field))}:0`);
    return `{${members.join()}}`;
  });
  return `[${objects.join()}]`;
}

const hostile: readonly (readonly [what: string, text: string])[] = [
  ['names that are never repeated', listOfObjects(99_000, 9, (object, field) => `n${object * 9 + field}`)],
  [
    'a few names in many orders',
    listOfObjects(30_000, 9, (object, field) => `n${(object * (field + 1) + (object >> 7) * field) % 997}`),
  ],
  [
    'one name in nested objects of many others',
    listOfObjects(40_000, 2, (object, field) => (field === 0 ? 'a' : `${object}`)),
  ],
];

const usual: readonly (readonly [what: string, text: string])[] = [
  ['one form', listOfObjects(99_000, 9, (_object, field) => `name_${field}`)],
  ['a form of optional fields', listOfObjects(50_000, 4, (object, field) => `f${field + ((object >> field) & 1)}`)],
  ['as many different texts', JSON.stringify(Array.from({ length: 300_000 }, (_, nth) => `text ${nth}`))],
  ['texts that look like names', JSON.stringify({ list: Array.from({ length: 60_000 }, (_, nth) => `{"n${nth}":0}`) })],
  ['the tools of an agent', listOfObjects(200, 90, (object, field) => `tool_${object}_field_${field}`)],
  ['an unfinished text', `[{"a":{"b":[${'{"c":1},'.repeat(30_000)}`],
];

describe('a text with many different objects', () => {
  it.each(hostile)('is recognized by %s, and refused before it is parsed', (_what, text) => {
    expect(hasManyShapes(text)).toBe(true);
    expect(findBodyExcess(Buffer.from(text))).toMatch(
      /more than (?:20,000 different combinations of field names|200,000 fields)/,
    );
    const readCpuMs = startCpuTimer();
    expect(parseJson(text)).toBeUndefined();
    expect(readCpuMs()).toBeLessThan(500);
  });

  it.each(usual)('is not mistaken for one with %s', (_what, text) => {
    expect(hasManyShapes(text)).toBe(false);
  });

  it('has at most as many as are allowed', () => {
    const each = (count: number): string => listOfObjects(count, 1, (object) => `${object}`);
    expect(hasManyShapes(each(SHAPES_MAX))).toBe(false);
    expect(hasManyShapes(each(SHAPES_MAX * 1.02))).toBe(true);
  });

  it('takes a time that its length determines', () => {
    const [, text = ''] = usual[0] ?? [];
    const readCpuMs = startCpuTimer();
    expect(hasManyShapes(text)).toBe(false);
    expect(readCpuMs()).toBeLessThan(500);
  });
});

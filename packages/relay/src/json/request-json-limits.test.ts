import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { countMembers } from './json.ts';
import { checkJsonSize, isLongJson, isLongMessage } from './request-json-limits.ts';

function check(text: string): void {
  checkJsonSize(Buffer.from(text));
}

const messages = (count: number, one: string): string =>
  `{"model":"a","messages":[${Array.from({ length: count }, () => one).join(',')}]}`;

describe('the size of a request’s JSON', () => {
  it('refuses a request before parsing multiplies its size in memory', () => {
    expect(() => check(messages(100_000, '{}'))).toThrow('more than 100,000 objects and lists');
    expect(() => check(messages(100_000, '[]'))).toThrow(InvalidRequestError);
    expect(() => check(messages(1_000_001, '1'))).toThrow('more than 1,000,000 values');
    expect(() => check('['.repeat(65))).toThrow('deeper than 64 levels');
  });

  it('stops at the limit, however long the request is', () => {
    const long = Buffer.from(messages(1, `[${'1,'.repeat(25_000_000)}1]`));
    const readCpuMs = startCpuTimer();
    expect(() => checkJsonSize(long)).toThrow('more than 1,000,000 values');
    expect(readCpuMs()).toBeLessThan(100);
  });

  const object = (fields: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: fields }, (_, nth) => [`k${nth}`, 1])));

  it.each([
    ['at the top', (text: string) => text],
    ['in a list', (text: string) => `{"a":[1,2,${text}]}`],
    ['behind another object', (text: string) => `{"a":{"b":{}},"c":${text}}`],
  ])('refuses an object with more than 10,000 fields %s', (_, within) => {
    check(within(object(10_000)));
    expect(() => check(within(object(10_001)))).toThrow('has more than 10,000 fields in an object. Send fewer.');
  });

  it('finds bodies with many values and long ones, but not those that exceed a limit', () => {
    expect(isLongJson(Buffer.from(messages(20_000, '{}')))).toBe(true);
    expect(isLongJson(Buffer.from(messages(200_000, '1')))).toBe(true);
    expect(isLongJson(Buffer.from(messages(3_000, '{"role":"user"}')))).toBe(false);
    expect(isLongJson(Buffer.from(messages(1, JSON.stringify('{,['.repeat(80_000)))))).toBe(false);
    expect(isLongJson(Buffer.from(messages(1, JSON.stringify('"'.repeat(140_000)))))).toBe(true);
    expect(isLongJson(Buffer.from(messages(1, '['.repeat(5_000))))).toBe(false);
  });

  it.each([
    ['an event with a chunk of audio', `{"type":"input_audio_buffer.append","audio":"${'A'.repeat(20_000)}"}`, false],
    ['an event with some fields', JSON.stringify({ type: 'session.update', session: { voice: 'a', speed: 1 } }), false],
    ['fifty tools', messages(50, '{"type":"function","name":"f"}'), false],
    ['hundreds of objects', messages(300, '{"a":1}'), true],
    ['thousands of numbers', messages(3_000, '1'), true],
    ['a long text', JSON.stringify('\n'.repeat(20_000)), true],
    ['more than a request may have', messages(100_000, '{}'), true],
  ])('recognizes messages that would block the process: %s', (_, text, isLong) => {
    expect(isLongMessage(Buffer.from(text))).toBe(isLong);
  });

  it('accepts a request below the limits', () => {
    check(messages(99_998, '{}'));
    check(messages(900_000, '1'));
    check(`${'['.repeat(64)}${']'.repeat(64)}`);
    check(`[${'[[]],'.repeat(1_000)}[]]`);
  });

  it('excludes the content of strings, however they are escaped', () => {
    const inside = '{[,'.repeat(200_000);
    for (const text of [inside, `"${inside}`, `\\${inside}`, `${inside}\\`, `"${'x'.repeat(99)}"${inside}\\"`]) {
      check(JSON.stringify({ [text.slice(0, 1_000)]: text }));
    }
    expect(() => check(`["\\\\",${'['.repeat(70)}`)).toThrow('deeper');
  });

  it.each([
    ['at the top', (name: string) => `{${name}:1}`],
    ['before blanks', (name: string) => `{"a":[{"b":{},${name} \n:1}]}`],
  ])('refuses a field name of more than 4,096 bytes %s', (_, within) => {
    check(within(JSON.stringify('k'.repeat(4_096))));
    expect(() => check(within(JSON.stringify('k'.repeat(4_097))))).toThrow('of more than 4,096 bytes. Shorten it.');
    expect(() => check(within(JSON.stringify('"'.repeat(2_049))))).toThrow('field name');
  });

  it('accepts long strings that are values', () => {
    const long = JSON.stringify('k'.repeat(5_000));
    check(`{"a":${long} ,"b":[${long},${long}],"c":${long}}`);
  });

  it('refuses names that take seconds to parse within milliseconds', () => {
    const long = Buffer.from(
      `{${Array.from({ length: 1_000 }, (_, at) => `"${'k'.repeat(16_400)}${at}":1`).join(',')}}`,
    );
    const readCpuMs = startCpuTimer();
    expect(() => checkJsonSize(long)).toThrow(InvalidRequestError);
    expect(readCpuMs()).toBeLessThan(20);
  });

  it.each([
    ['digits', '{"a":', '7'],
    ['blanks', '', ' '],
    ['blanks behind its end', '{"a":1}', '\n'],
  ])('refuses a body of more than a million %s at once', (_, start, rest) => {
    check(start + rest.repeat(1_000_000));
    const long = Buffer.alloc(64 * 1_048_576, rest);
    long.write(start);
    const readCpuMs = startCpuTimer();
    expect(() => checkJsonSize(long)).toThrow('has more than 1,048,576 digits or blanks in a row. Shorten them.');
    expect(readCpuMs()).toBeLessThan(20);
  });

  it('tolerates invalid JSON', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a', `"${'\\'.repeat(100)}`]) check(text);
  });
});

it.each([
  ['{}', 0],
  ['[{},[]]', 0],
  ['{"a":1}', 1],
  ['{"a":{"b":[{"c":1},{"c":2,"d":{}}]},"e":":{\\",\\":"}', 6],
  ['{"a":{"b":1,"b":2}}', 3],
])('counts the members of all objects in a text, also repeated ones: %s', (text, members) => {
  expect(checkJsonSize(Buffer.from(text))).toBe(members);
});

it('counts as many members in a text as in the value that it was written from', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(checkJsonSize(Buffer.from(text))).toBe(countMembers(JSON.parse(text)));
    }),
  );
});

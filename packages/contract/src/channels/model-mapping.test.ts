import { expect, test } from 'vitest';
import { createChannel } from './channels.ts';
import { offersModel, resolveModelNames } from './model-mapping.ts';

const mapping = {
  'gpt-4o': 'exact-name',
  'gpt-4*': 'the-four',
  'gpt-*': 'vendor/gpt-*',
  'claude-*': '+anthropic/claude-*',
  'odd*': 'fixed',
};
const names = (upstreamModel: string, billedModel = upstreamModel) => ({ upstreamModel, billedModel });

test('the very name counts first, then the longest beginning, else the name stays', () => {
  expect(resolveModelNames(mapping, 'gpt-4o')).toEqual(names('exact-name'));
  expect(resolveModelNames(mapping, 'gpt-4o-mini')).toEqual(names('the-four'));
  expect(resolveModelNames(mapping, 'gpt-5')).toEqual(names('vendor/gpt-5'));
  expect(resolveModelNames(mapping, 'llama')).toEqual(names('llama'));
});

test('a * carries the rest of the name, which may be empty', () => {
  expect(resolveModelNames(mapping, 'gpt-')).toEqual(names('vendor/gpt-'));
  expect(resolveModelNames({ '*': 'all/*' }, 'any-model')).toEqual(names('all/any-model'));
});

test('a + sends the mapped name and bills the requested one, with and without a *', () => {
  expect(resolveModelNames(mapping, 'claude-opus')).toEqual(names('anthropic/claude-opus', 'claude-opus'));
  expect(resolveModelNames({ one: '+two' }, 'one')).toEqual(names('two', 'one'));
});

test('names that every object has are mapped only where the mapping says so', () => {
  expect(resolveModelNames(mapping, 'constructor')).toEqual(names('constructor'));
  expect(resolveModelNames({}, '__proto__')).toEqual(names('__proto__'));
});

test('a list holds a model by name or by its beginning', () => {
  expect(offersModel(['gpt-4o', 'claude-*'], 'claude-opus')).toBe(true);
  expect(offersModel(['gpt-4o'], 'gpt-4o-mini')).toBe(false);
});

test('a * stands only at the end, and in a value only where the name has one', () => {
  const form = { name: 'n', type: 1, models: ['m'] };
  const fits = (model_mapping: Record<string, string>) => createChannel.safeParse({ ...form, model_mapping }).success;
  expect(fits(mapping)).toBe(true);
  expect(fits({ 'a*b': 'c' })).toBe(false);
  expect(fits({ 'a*': 'b*c' })).toBe(false);
  expect(fits({ a: 'b*' })).toBe(false);
});

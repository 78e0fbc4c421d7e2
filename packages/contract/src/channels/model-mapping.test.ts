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

test('prefers the exact name, then the longest prefix, else keeps the name', () => {
  expect(resolveModelNames(mapping, 'gpt-4o')).toEqual(names('exact-name'));
  expect(resolveModelNames(mapping, 'gpt-4o-mini')).toEqual(names('the-four'));
  expect(resolveModelNames(mapping, 'gpt-5')).toEqual(names('vendor/gpt-5'));
  expect(resolveModelNames(mapping, 'llama')).toEqual(names('llama'));
});

test('carries the rest of the name, possibly empty, with *', () => {
  expect(resolveModelNames(mapping, 'gpt-')).toEqual(names('vendor/gpt-'));
  expect(resolveModelNames({ '*': 'all/*' }, 'any-model')).toEqual(names('all/any-model'));
});

test('sends the mapped name and bills the requested one with +, with and without a *', () => {
  expect(resolveModelNames(mapping, 'claude-opus')).toEqual(names('anthropic/claude-opus', 'claude-opus'));
  expect(resolveModelNames({ one: '+two' }, 'one')).toEqual(names('two', 'one'));
});

test('maps names of object members only if the mapping has them', () => {
  expect(resolveModelNames(mapping, 'constructor')).toEqual(names('constructor'));
  expect(resolveModelNames({}, '__proto__')).toEqual(names('__proto__'));
});

test('finds a model in a list by its name or prefix', () => {
  expect(offersModel(['gpt-4o', 'claude-*'], 'claude-opus')).toBe(true);
  expect(offersModel(['gpt-4o'], 'gpt-4o-mini')).toBe(false);
});

test('accepts a * only at the end, and in a value only if the name has one', () => {
  const form = { name: 'n', type: 1, models: ['m'] };
  const fits = (model_mapping: Record<string, string>) => createChannel.safeParse({ ...form, model_mapping }).success;
  expect(fits(mapping)).toBe(true);
  expect(fits({ 'a*b': 'c' })).toBe(false);
  expect(fits({ 'a*': 'b*c' })).toBe(false);
  expect(fits({ a: 'b*' })).toBe(false);
});

import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { createModelLookup, readShippedModels } from '../apps/server/src/catalog/models/models.ts';
import { listKnownModels, readOwnModelMetadata } from '../scripts/model-list.ts';

const providers = (await waitForUpdate()) ?? [];
const own = readOwnModelMetadata();

/** The real providers, of which only one has models. */
function only(id: string, models: Provider['models']): Provider[] {
  return providers.map((known) => ({ ...known, models: known.id === id ? models : [] }));
}
const model = (id: string, match: Provider['models'][number]['match'], context_window?: number) => ({
  id,
  match,
  prices: {},
  ...(context_window !== undefined && { context_window }),
});

test('the shipped list is up to date with its sources', () => {
  expect(readShippedModels()).toEqual(listKnownModels(providers, own));
});

test('a pattern has the data of its name, and names with the same data are left out', () => {
  const match = { or: [{ equals: 'x' }, { starts_with: 'x-1' }, { regex: '^x-\\d{8}$' }] };
  const facts = { model: 'x-1', owner: 'openai', output_max: 5 };
  expect(listKnownModels(only('openai', [model('x', match, 10)]), [facts])).toEqual([
    { model: 'x', owner: 'openai', context_length: 10 },
    { model: 'x-1*', owner: 'openai', context_length: 10, output_max: 5 },
  ]);
});

test('entries by hand win, and names without data are left out', () => {
  const models = [model('a', { equals: 'a' }, 10), model('b', { equals: 'b' })];
  const facts = { model: 'a', owner: 'meta', context_length: 20 };
  expect(listKnownModels(only('openai', models), [facts])).toEqual([facts]);
});

test('a host is not the owner of a model', () => {
  const models = [model('other/m', { equals: 'other/m' }, 10), model('m', { equals: 'm' }, 20)];
  expect(listKnownModels(only('openrouter', models), [])).toEqual([
    { model: 'm', context_length: 20 },
    { model: 'other/m', context_length: 10 },
  ]);
});

test('every name is written by hand once', () => {
  const names = own.map(({ model }) => model);
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const find = createModelLookup(readShippedModels());
  expect(own.filter((entry) => find(entry.model)?.owner !== entry.owner)).toEqual([]);
});

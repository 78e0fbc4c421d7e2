import { expect, test } from 'vitest';
import { newValues } from '../editor/channel-values.ts';
import { changeOf, type EditForm, issuesOf } from './bulk-edit-fields.ts';

const form = (more: Partial<EditForm>): EditForm => ({
  fields: [],
  values: newValues,
  status: 'disabled',
  ways: {},
  ...more,
});

test('only the added fields are in the change', () => {
  expect(changeOf(form({}))).toEqual({});
  expect(changeOf(form({ fields: ['status', 'priority'] }))).toEqual({ status: 'disabled', priority: 0 });
});

test('lists and pairs change in the way that was chosen', () => {
  const values = { ...newValues, models: ['a'], model_mapping: { a: 'b' }, model_headers: { 'x-a': 'v' } };
  const fields = ['models', 'model_mapping', 'model_headers'] as const;
  expect(
    changeOf(form({ fields, values, ways: { model_mapping: 'remove', model_headers: 'replace' } })),
  ).toEqual({
    models: { add: ['a'] },
    model_mapping: { remove: ['a'] },
    model_headers: { replace: { 'x-a': 'v' } },
  });
});

test('deadlines that were left empty stay as they are', () => {
  const values = { ...newValues, deadlines: { ...newValues.deadlines, idle: 30 } };
  expect(changeOf(form({ fields: ['deadlines'], values }))).toEqual({ deadlines: { idle: 30 } });
});

test('what the contract refuses is found before it is sent', () => {
  expect(issuesOf({ priority: 7, status: 'enabled' })).toEqual([]);
  expect(issuesOf({ priority: -1 })[0]?.path).toEqual(['priority']);
});

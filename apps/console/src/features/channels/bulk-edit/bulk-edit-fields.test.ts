import { expect, test } from 'vitest';
import { newValues } from '../editor/channel-form-values.ts';
import { changeOf, type EditForm, issuesOf } from './bulk-edit-fields.ts';

const form = (more: Partial<EditForm>): EditForm => ({
  fields: [],
  values: newValues,
  status: 'disabled',
  ways: {},
  ...more,
});

test('includes only the added fields in the change', () => {
  expect(changeOf(form({}))).toEqual({});
  expect(changeOf(form({ fields: ['status', 'priority'] }))).toEqual({ status: 'disabled', priority: 0 });
});

test('changes lists and pairs in the chosen way', () => {
  const values = { ...newValues, models: ['a'], model_mapping: { a: 'b' }, model_headers: { 'x-a': 'v' } };
  const fields = ['models', 'model_mapping', 'model_headers'] as const;
  expect(changeOf(form({ fields, values, ways: { model_mapping: 'remove', model_headers: 'replace' } }))).toEqual({
    models: { add: ['a'] },
    model_mapping: { remove: ['a'] },
    model_headers: { replace: { 'x-a': 'v' } },
  });
});

test('leaves out empty deadlines', () => {
  const values = { ...newValues, deadlines: { ...newValues.deadlines, idle: 30 } };
  expect(changeOf(form({ fields: ['deadlines'], values }))).toEqual({ deadlines: { idle: 30 } });
});

test('finds values that the contract rejects before sending', () => {
  expect(issuesOf({ priority: 7, status: 'enabled' })).toEqual([]);
  expect(issuesOf({ priority: -1 })[0]?.path).toEqual(['priority']);
});

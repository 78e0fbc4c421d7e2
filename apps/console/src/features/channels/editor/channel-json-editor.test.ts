import { expect, it } from 'vitest';
import { wireProviders } from '../channels.samples.ts';
import { channelSchema, newValues } from './channel-form-values.ts';
import { jsonOf, readJson } from './channel-json-editor.tsx';

const values = { ...newValues, name: 'eu', type: 1, models: ['gpt-5'], options: { organization: 'org-1' } };
const schema = channelSchema(wireProviders);
const read = (text: string) => readJson(text, schema, wireProviders);
const withField = (more: object) => JSON.stringify({ ...values, ...more });

it('parses its own output and includes `keys_as` only for a new channel', () => {
  expect(read(jsonOf(values, wireProviders, true))).toEqual({ values });
  expect(jsonOf(values, wireProviders, true)).toContain('keys_as');
  expect(jsonOf(values, wireProviders, false)).not.toContain('keys_as');
});

it('reports the line of a JSON error', () => {
  expect(read('{\n  "name": "eu",\n  "type" 1\n}')).toEqual({ problems: [{ kind: 'not-json', line: 3 }] });
});

it('rejects unknown fields at any depth and options of other providers', () => {
  const text = withField({
    wieght: 2,
    deadlines: { ...values.deadlines, idel: 3 },
    request_changes: { ...values.request_changes, bodies: [{ sets: {} }] },
    options: { apiVersion: '1' },
  });
  expect(read(text)).toEqual({
    problems: ['deadlines.idel', 'request_changes.bodies.0.sets', 'wieght', 'options.apiVersion'].map((path) => ({
      kind: 'unknown-field',
      path,
    })),
  });
});

it('applies the rules of the form to the text', () => {
  const paths = (text: string) => {
    const result = read(text);
    return 'problems' in result ? result.problems.map((problem) => 'path' in problem && problem.path) : [];
  };
  expect(paths(withField({ priority: -1, models: [], weight: '2' }))).toEqual(['models', 'priority', 'weight']);
  expect(paths(withField({ type: 3 }))).toEqual(['base_url']);
  expect(paths('[]')).toEqual(['']);
});

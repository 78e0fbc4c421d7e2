import { expect, it } from 'vitest';
import { CallArguments } from './candidate-and-arguments-reader.ts';

function built(...pieces: unknown[]): unknown {
  const args = new CallArguments();
  args.add(pieces);
  return JSON.parse(JSON.stringify(args.whole));
}

it('writes fragments at their paths and joins strings', () => {
  expect(
    built(
      { jsonPath: '$.a.list[0].name', stringValue: 'Pre', willContinue: true },
      { jsonPath: '$.a.list[0].name', stringValue: 'heat' },
      { jsonPath: "$.a.list[1]['odd.name']", numberValue: 0.5 },
      { jsonPath: '$.yes', boolValue: false },
      { json_path: '$.nothing', null_value: 'NULL_VALUE' },
    ),
  ).toEqual({ a: { list: [{ name: 'Preheat' }, { 'odd.name': 0.5 }] }, yes: false, nothing: null });
});

it('creates no holes, ignores invalid paths, and accepts names such as __proto__', () => {
  const value = { stringValue: 'x' };
  expect(
    built(
      { jsonPath: '$.list[1000000000]', ...value },
      { jsonPath: '$.list[0]', ...value },
      { jsonPath: '$.list.name', ...value },
      { jsonPath: `$${'.a'.repeat(100)}`, ...value },
      { jsonPath: '$[0]', ...value },
      { jsonPath: '$.a[', ...value },
      { jsonPath: 7, ...value },
      { jsonPath: '$.__proto__.polluted', ...value },
    ),
  ).toEqual(JSON.parse('{"list":["x"],"__proto__":{"polluted":"x"}}'));
  expect({}).not.toHaveProperty('polluted');
});

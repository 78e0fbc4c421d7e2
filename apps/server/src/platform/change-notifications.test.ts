import { expect, test } from 'vitest';
import { type Change, createChanges } from './change-notifications.ts';

test.each<[string, readonly number[] | undefined, readonly (number | undefined)[]]>([
  ['any row', undefined, [undefined]],
  ['no row', [], []],
  ['one row', [7], [1]],
  ['more rows than a query may name', Array.from({ length: 40_001 }, (_, id) => id), [...Array(80).fill(500), 1]],
])('publishes a change of %s in pieces of at most 500 ids, here and to other nodes', async (_what, ids, sizes) => {
  const changes = createChanges();
  const [here, elsewhere]: [Change[], Change[]] = [[], []];
  changes.subscribe((change) => void here.push(change));
  changes.connect(
    async (change) => void elsewhere.push(change),
    () => {},
  );
  await changes.publish(ids === undefined ? { topic: 'api-keys' } : { topic: 'api-keys', ids });
  for (const received of [here, elsewhere]) {
    const pieces = received.map((change) => ('ids' in change ? change.ids : undefined));
    expect(pieces.map((piece) => piece?.length)).toEqual(sizes);
    expect(pieces.flat()).toEqual(ids ?? [undefined]);
  }
});

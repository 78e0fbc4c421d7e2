/** `npm run check` runs this, so that it detects a mutation whose text is gone; running the mutations takes minutes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerMutations } from './faults/ledger-mutations.ts';

const LEDGER = join(import.meta.dirname, '../apps/server/src/ledger');

test('the text of each mutation occurs in its file once', () => {
  const wrong = ledgerMutations.filter(
    ([file, text]) => readFileSync(join(LEDGER, file), 'utf8').split(text).length !== 2,
  );
  expect(wrong).toEqual([]);
});

import { expect, it } from 'vitest';
import { readThresholds, thresholdLines } from './rule-editor.tsx';

it('parses categories with their scores, also with a slash or a colon in the name', () => {
  const scores = { violence: 0.8, 'self-harm/intent': 0.5, 'own:kind': 1 };
  expect(readThresholds(['violence 0.8', 'self-harm/intent: 0.5', 'own:kind: 1'])).toEqual(scores);
  expect(readThresholds(thresholdLines(scores))).toEqual(scores);
});

it('keeps a category without a number, which the form rejects', () => {
  expect(readThresholds(['violence'])).toEqual({ violence: Number.NaN });
  expect(readThresholds(['violence: much'])).toEqual({ violence: Number.NaN });
});

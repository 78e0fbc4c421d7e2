import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import { ContentModerator } from './content-moderator.ts';
import type { LoadedRule, WordListMatcher } from './loaded-rules.ts';
import { WordMatcher } from './word-matcher.ts';

const mask: LoadedRule = {
  id: 1,
  name: 'List',
  kind: 'words',
  action: 'mask',
  model: '',
  url: '',
  timeout_ms: 2_000,
  on_failure: 'pass',
  secret: '',
  thresholds: {},
};
const lists: WordListMatcher = { matcher: new WordMatcher([['bomb', 'two words']]), rules: [mask] };
const createModerator = (): ContentModerator => new ContentModerator(lists, () => {});

/** Returns the milliseconds of CPU that some work takes. */
function measureCpu(work: () => void): number {
  const readCpuMs = startCpuTimer();
  work();
  return readCpuMs();
}

test.each([
  [['no word'], ['no word']],
  [['a bomb, a bomb'], ['a ***, a ***']],
  [
    ['a bo', 'mb'],
    ['a ***', ''],
  ],
  [
    ['say two', ' words and', ' bomb'],
    ['say ***', ' and', ' ***'],
  ],
  [
    ['bomb', 'bomb'],
    ['***', ''],
  ],
  [
    [String.raw`"\u0062omb"`, ' bomb'],
    ['"***"', ' ***'],
  ],
])('masks the listed words in %j', (texts, masked) => {
  expect(createModerator().mask(texts)).toEqual(masked);
});

test('masks a word in each of 30,000 parts in milliseconds', () => {
  const texts = Array.from({ length: 30_000 }, () => 'a bomb. ');
  let masked: readonly string[] = [];
  const ms = measureCpu(() => {
    masked = createModerator().mask(texts);
  });
  expect(new Set(masked)).toEqual(new Set(['a ***. ']));
  expect(ms).toBeLessThan(1_000);
});

test('masks a word in each of 30,000 pieces of a response in milliseconds', () => {
  const check = createModerator().begin(false);
  const masked = new Set<string>();
  const ms = measureCpu(() => {
    for (let nth = 0; nth < 30_000; nth++) {
      check.push('a bomb. ');
      masked.add(check.redactNext('a bomb. '));
    }
  });
  expect(masked).toEqual(new Set(['a ***. ']));
  expect(ms).toBeLessThan(1_000);
});

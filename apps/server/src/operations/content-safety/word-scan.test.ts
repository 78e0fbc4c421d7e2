import { readCpuMs } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import { isSearchable, WordMatcher } from './word-matcher.ts';
import { WordScan } from './word-scan.ts';

/** Returns the matches in the pieces of a text, unchanged. */
function found(words: readonly string[], pieces: readonly string[], isEscaped = false): string[] {
  const text = pieces.join('');
  const hits: string[] = [];
  const scan = new WordScan(
    new WordMatcher([words]),
    (_lists, start, end) => hits.push(text.slice(start, end)),
    isEscaped,
  );
  for (const piece of pieces) scan.scan(piece);
  scan.end();
  return hits;
}

test.each([
  ['bomb', 'A BOMB!', ['BOMB']],
  ['bomb', 'bombastic, aplomb', []],
  ['bomb*', 'Bombastic', ['Bomb']],
  ['*bomb', 'firebomb', ['bomb']],
  ['*bomb*', 'aplombomber', ['bomb']],
  ['two words', 'Two\n  WORDS here', ['Two\n  WORDS']],
  ['two words', 'two, words', []],
  ['c++', 'C++ and c', ['C++']],
  ['bomb', 'ｂｏｍｂ 𝐛𝐨𝐦𝐛 ⓑⓞⓜⓑ', ['ｂｏｍｂ', '𝐛𝐨𝐦𝐛', 'ⓑⓞⓜⓑ']],
  ['bomb', 'b\u0001omb b\ufeffomb\tx', ['b\u0001omb', 'b\ufeffomb']],
  ['bomb', 'b\u200bo\u00adm\ufe0fb b\u0336omb', ['b\u200bo\u00adm\ufe0fb', 'b\u0336omb']],
  ['cafe', 'café cafe\u0301', []],
  ['café', 'cafe\u0301 CAFÉ', ['cafe\u0301', 'CAFÉ']],
  ['σίσυφος', 'ΣΊΣΥΦΟΣ', ['ΣΊΣΥΦΟΣ']],
  ['炸弹', '做炸弹的人', ['炸弹']],
  ['か', 'がか', ['か']],
  ['ガス', 'ｶﾞｽ', ['ｶﾞｽ']],
  ['하', '한하', ['하']],
  ['手机 app', '手机 app。', ['手机 app']],
  ['iphone手机', '买iPhone手机', ['iPhone手机']],
])('%s in %j', (word, text, hits) => {
  expect(found([word], [text])).toEqual(hits);
});

test('escapes count where the text is JSON itself, and only there', () => {
  const text = String.raw`{"q":"\u0062omb","r":"x\nbomb"}`;
  expect(found(['bomb'], [text], true)).toEqual([String.raw`\u0062omb`, 'bomb']);
  expect(found(['bomb'], [text])).toEqual([]);
});

test('overlapping words are all found', () => {
  expect(found(['炸弹', '弹药', '弹', '炸弹药'], ['炸弹药']).toSorted()).toEqual(
    ['弹', '炸弹', '弹药', '炸弹药'].toSorted(),
  );
});

test('a word is found wherever its pieces are cut, and nothing before it is held', () => {
  const words = ['bomb', 'two words', '炸弹', '𝐛ad', '*any*'];
  for (const [text, isEscaped] of [
    ['say bomb. two words 炸弹 𝐛𝐚𝐝 company', false],
    [String.raw`say b\u006fmb. two\nwords 炸弹 bad many`, true],
  ] as const) {
    const whole = found(words, [text], isEscaped);
    expect(whole.length).toBe(5);
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = [text.slice(0, cut), text.slice(cut)];
      expect(found(words, pieces, isEscaped)).toEqual(whole);
    }
    expect(found(words, Array.from(text), isEscaped)).toEqual(whole);
    expect(found(words, text.split(''), isEscaped)).toEqual(whole);
  }
});

test('only what may be the beginning of a word is undecided', () => {
  const scan = new WordScan(new WordMatcher([['bomb', '炸弹']]), () => {});
  const after = (piece: string): number => {
    scan.scan(piece);
    return scan.settledOffset;
  };
  expect(after('hello bo')).toBe(6);
  expect(after('x')).toBe(9);
  expect(after(' 炸')).toBe(10);
  expect(after('弹')).toBe(10);
  expect(after('.')).toBe(13);
});

test('a word names every list that has it', () => {
  const bits: number[] = [];
  const scan = new WordScan(new WordMatcher([['one', 'two'], ['TWO'], ['three']]), (lists) => bits.push(lists));
  scan.scan('two one three');
  scan.end();
  expect(bits).toEqual([0b11, 0b1, 0b100]);
});

test('rejects a word without searchable characters', () => {
  for (const word of ['', '  ', '*', '**', '\u200b']) expect(isSearchable(word)).toBe(false);
  expect(found(['', '*', '\u200b'], ['any * text'])).toEqual([]);
  expect(isSearchable('*x')).toBe(true);
});

/** The same by hand, for words of two letters in a text of few. */
test('agrees with a plain search on many texts', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
  const textOf = (length: number): string => Array.from({ length }, () => ['天', '地', '人'][random(3)]).join('');
  for (let round = 0; round < 200; round++) {
    const words = [...new Set(Array.from({ length: 6 }, () => textOf(1 + random(5))))];
    const text = textOf(40);
    const expected = words.flatMap((word) =>
      Array.from({ length: text.length }, (_, at) => (text.startsWith(word, at) ? word : '')).filter(Boolean),
    );
    expect(found(words, [text]).toSorted()).toEqual(expected.toSorted());
  }
});

test('100 kB are searched for 5,000 words in milliseconds, regardless of their content', () => {
  const letters = 'etaoinshrdlcumwfgypbvk';
  let seed = 1;
  const letter = (): string => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return letters[(seed >>> 8) % letters.length] ?? 'e';
  };
  const word = (length: number): string => Array.from({ length }, letter).join('');
  const words = Array.from({ length: 5_000 }, (_, at) => word(4 + (at % 8)));
  const matcher = new WordMatcher([[...words, `${'a'.repeat(60)}b`, `*${'e'.repeat(60)}b*`]]);
  const prose = Array.from({ length: 20_000 }, (_, at) => word(1 + (at % 8)))
    .join(' ')
    .slice(0, 100_000);
  const nearly = 'e'.repeat(100_000);
  const best = (text: string): number => {
    const times = Array.from({ length: 20 }, () => {
      const scan = new WordScan(matcher, () => {});
      const startedAt = readCpuMs();
      scan.scan(text);
      scan.end();
      return readCpuMs() - startedAt;
    });
    return Math.min(...times);
  };
  const figures = { prose: best(prose), nearly: best(nearly) };
  if (process.env['SHOW_FIGURES'] !== undefined) console.log(figures);
  // A search of each word in turn would take half a second.
  expect(Math.max(figures.prose, figures.nearly)).toBeLessThan(200);
});

test('scans emoji as fast as punctuation', () => {
  const measure = (text: string): number => {
    const times = Array.from({ length: 3 }, () => {
      const scan = new WordScan(new WordMatcher([['bomb']]), () => {});
      const began = readCpuMs();
      scan.scan(text);
      scan.end();
      return readCpuMs() - began;
    });
    return Math.min(...times);
  };
  // When each emoji was folded again, it was five times as long.
  expect(measure('\u{1f600}'.repeat(100_000))).toBeLessThan(3 * measure('—'.repeat(200_000)));
});

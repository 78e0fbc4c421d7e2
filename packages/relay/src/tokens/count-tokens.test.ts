import fc from 'fast-check';
import { countTokens as uncutCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as uncutO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { countTokens } from './count-tokens.ts';
import { sliceText } from './text-samples-and-counts.ts';

const asText = { disallowedSpecial: new Set<string>() };

describe('countTokens', () => {
  it.each([
    // https://github.com/openai/openai-cookbook: How to count tokens with tiktoken
    ['cl100k_base', 'antidisestablishmentarianism', 6],
    ['o200k_base', 'antidisestablishmentarianism', 6],
    ['cl100k_base', '2 + 2 = 4', 7],
    ['o200k_base', '2 + 2 = 4', 7],
    ['cl100k_base', 'お誕生日おめでとう', 9],
    ['o200k_base', 'お誕生日おめでとう', 8],
  ] as const)('matches the vendor’s count of %s: %s', async (encoding, text, tokens) => {
    expect(await countTokens(encoding, text)).toBe(tokens);
  });

  it('counts the name of a control token as text', async () => {
    expect(await countTokens('o200k_base', '<|endoftext|>')).toBeGreaterThan(1);
  });

  it.each([
    ['letters', Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26))).join('')],
    ['spaces', ' '],
    ['ideographic spaces', '\u3000'],
    ['spaces of all kinds', ' \t\u00A0\u2028\u3000'],
    ['line ends', '\r\n'],
    ['indented lines', '  \n\t\n'],
    ['slashes and line ends', '/\n'],
    ['marks', 'e\u0301\u0300'],
    ['signs', '-=~'],
    ['signs with marks', '.\u0300'],
    ['surrogates', '\uD800'],
    ['Hangul', '뷁쀍뙗'],
    ['ideographs', '龘爨麤'],
  ])('counts a run of %s within a moment', async (_name, unit) => {
    await countTokens('o200k_base', '');
    await countTokens('cl100k_base', '');
    const text = unit.repeat(200_000 / unit.length);
    const readCpuMs = startCpuTimer();
    for (const encoding of ['o200k_base', 'cl100k_base'] as const) {
      expect(await countTokens(encoding, `a${text}`)).toBeGreaterThan(0);
      expect(await countTokens(encoding, `/${text}x`)).toBeGreaterThan(0);
    }
    expect(readCpuMs()).toBeLessThan(15_000);
  });

  const words = fc.array(
    fc.oneof(
      fc.constantFrom(
        'The',
        'word',
        "it's",
        '账单',
        'コストは',
        '뷁쀍',
        'e\u0301te\u0301',
        '1234567',
        '/\n/',
        '…',
        '\u{1F9FF}',
      ),
      fc.constantFrom(' ', '  ', '\n', '\n\n', '\r\n', '\t', '\u3000', ', ', '。', '/', '://', '"'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 300 },
  );

  it('counts words exactly in any text', async () => {
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const text = parts.join('');
        expect(await countTokens('o200k_base', text)).toBe(uncutO200k(text, asText));
        expect(await countTokens('cl100k_base', text)).toBe(uncutCl100k(text, asText));
      }),
    );
  });

  it('counts the same tokens in the slices of a text as in the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(words, fc.nat({ max: 1_000 }), async (parts, shift) => {
        const text = `${' word'.repeat(shift)}${`${parts.join('')} end `.repeat(20_000)}`.slice(0, 80_000);
        const slices = [...sliceText(text)];
        expect(slices.join('')).toBe(text);
        expect(slices.length).toBeGreaterThan(2);
        for (const encoding of ['o200k_base', 'cl100k_base'] as const) {
          let tokens = 0;
          for (const slice of slices) tokens += await countTokens(encoding, slice);
          expect(tokens).toBe(await countTokens(encoding, text));
        }
      }),
      { numRuns: 10 },
    );
  });
});

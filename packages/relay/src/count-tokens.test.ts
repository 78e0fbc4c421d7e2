import { describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.ts';

describe('countTokens', () => {
  it.each([
    // https://github.com/openai/openai-cookbook: How to count tokens with tiktoken
    ['cl100k_base', 'antidisestablishmentarianism', 6],
    ['o200k_base', 'antidisestablishmentarianism', 6],
    ['cl100k_base', '2 + 2 = 4', 7],
    ['o200k_base', '2 + 2 = 4', 7],
    ['cl100k_base', 'お誕生日おめでとう', 9],
    ['o200k_base', 'お誕生日おめでとう', 8],
  ] as const)('agrees with the vendor on %s: %s', async (encoding, text, tokens) => {
    expect(await countTokens(encoding, [text])).toEqual([tokens]);
  });

  it('takes the name of a control token as text', async () => {
    expect((await countTokens('o200k_base', ['<|endoftext|>']))[0]).toBeGreaterThan(1);
  });

  it('is done in a moment with a text that has no spaces', async () => {
    const letters = Array.from({ length: 200_000 }, (_, i) =>
      String.fromCharCode(97 + ((i * 7919) % 26)),
    ).join('');
    const begun = performance.now();
    const [tokens = 0] = await countTokens('o200k_base', [letters]);
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect(tokens).toBeGreaterThan(letters.length / 5);
  }, 20_000);
});

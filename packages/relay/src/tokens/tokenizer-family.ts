/** Token facts of a model by its name: the vocabulary, its density, and the cost of an image. */
import { cacheByName } from '../cache-by-name.ts';
import { claudeImage, geminiImage, type ImageRule, openaiPatches, openaiTiles } from './image-size-and-tokens.ts';

export type Encoding = 'o200k_base' | 'cl100k_base';

export interface ModelFamily {
  /** OpenAI's published vocabulary; absent for other vendors, which publish none. */
  encoding?: Encoding;
  /** Characters per token in alphabetic scripts, for estimates. */
  charactersPerToken: number;
  image?: ImageRule;
}

const CHARACTERS_PER_TOKEN = 4;
/** Measured on recorded responses of Claude 4 to 4.6: 2.4 (tool calls) to 3.4 (prose). */
const CHARACTERS_PER_CLAUDE_TOKEN = 3.3;

const openai = (encoding: Encoding, image?: ImageRule): ModelFamily => ({
  encoding,
  charactersPerToken: CHARACTERS_PER_TOKEN,
  ...(image === undefined ? {} : { image }),
});

/**
 * Families, of which the first match applies. Vocabularies: https://github.com/openai/tiktoken (model.py); images:
 * https://platform.openai.com/docs/guides/images-vision, https://docs.claude.com/en/docs/build-with-claude/vision.
 */
const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [/^gpt-4o-mini/, openai('o200k_base', openaiTiles(2_833, 5_667))],
  [/^(gpt-4o|chatgpt-4o|gpt-4\.5|gpt-4\.1(?!-(?:mini|nano)))/, openai('o200k_base', openaiTiles(85, 170))],
  [/^(gpt-4\.1-mini|gpt-5[\d.]*-mini)/, openai('o200k_base', openaiPatches(1.62))],
  [/^(gpt-4\.1-nano|gpt-5[\d.]*-nano)/, openai('o200k_base', openaiPatches(2.46))],
  [/^o4-mini/, openai('o200k_base', openaiPatches(1.72))],
  // From GPT-5.5 on, images keep their size unless the request says otherwise.
  // https://github.com/openai/codex/issues/19806, https://github.com/vybestack/llxprt-code/pull/3483 (measured)
  [/^gpt-5\.[23](?!\d)/, openai('o200k_base', openaiPatches(1.2))],
  [/^gpt-5\.4(?!\d)/, openai('o200k_base', openaiPatches(1.2, 2_500))],
  [/^gpt-(5\.\d|[6-9]|\d\d)/, openai('o200k_base', openaiPatches(1.2, 10_000))],
  [/^gpt-5/, openai('o200k_base', openaiTiles(70, 140))],
  [/^o\d/, openai('o200k_base', openaiTiles(75, 150))],
  [/^gpt-oss/, openai('o200k_base')],
  [/^(gpt-4|gpt-3\.5|gpt-35|text-embedding-(3|ada))/, openai('cl100k_base', openaiTiles(85, 170))],
  [/^gemini/, { charactersPerToken: CHARACTERS_PER_TOKEN, image: geminiImage }],
  [/^claude/, { charactersPerToken: CHARACTERS_PER_CLAUDE_TOKEN, image: claudeImage }],
];

const unknown: ModelFamily = { charactersPerToken: CHARACTERS_PER_TOKEN };

/** Returns the family of a model. Resellers put the vendor before a slash: `openai/gpt-4o`. */
export const findModelFamily: (model: string) => ModelFamily = cacheByName((model) => {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? unknown;
});

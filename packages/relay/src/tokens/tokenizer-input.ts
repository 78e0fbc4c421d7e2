/** Tokenizer input for a response without reported usage. */
import type { ClientRequest } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import { type Encoding, findModelFamily } from './model-family.ts';
import { type PromptReader, readPrompt } from './read-prompt.ts';

export interface TokenizerInput {
  encoding: Encoding;
  prompt: string;
  /** Tokens of the prompt's content other than text. */
  nonTextTokens: number;
  /** Start of the delivered content. */
  answer: string;
}

/** Maximum characters of a tokenized prompt; longer ones are estimated, because counting takes too long. */
const PROMPT_MAX = 1_000_000;

class Texts implements PromptReader {
  readonly parts: string[] = [];
  other = 0;

  text(text: string): void {
    this.parts.push(text);
  }

  tokens(count: number): void {
    this.other += count;
  }

  image(tokens: number): void {
    this.other += tokens;
  }
}

/** Returns undefined if the model's vocabulary is unknown. @param model name at the vendor */
export function readTokenizerInput(request: ClientRequest, meter: Meter, model: string): TokenizerInput | undefined {
  const family = findModelFamily(model);
  if (family.encoding === undefined) return undefined;
  const texts = new Texts();
  readPrompt(request.billedJson ?? request.json, family, texts);
  const prompt = texts.parts.join('\n');
  if (prompt.length > PROMPT_MAX) return undefined;
  return { encoding: family.encoding, prompt, nonTextTokens: texts.other, answer: meter.deliveredSample };
}

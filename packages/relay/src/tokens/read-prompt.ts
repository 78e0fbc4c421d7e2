/** Walk through a request's body for all content that costs prompt tokens. */

import { isObject, type JsonObject } from '../json/json.ts';
import { readCacheBreakpoint } from '../model/cache-breakpoint.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { readMedia } from './media-part-tokens.ts';
import { type Encoding, findModelFamily, type ModelFamily } from './tokenizer-family.ts';

/** Maximum characters of a tokenized prompt; longer ones are estimated, because counting takes too long. */
const PROMPT_MAX = 1_000_000;

export interface PromptReader {
  text(text: string): void;
  /** Counts tokens of content that is not text: structure, files. */
  tokens(count: number): void;
  image(tokens: number): void;
  audio(tokens: number): void;
  cacheBreakpoint(lifetime: '5m' | '1h'): void;
}

/** Maximum fields, each of which costs work in later steps; the widest tool schemas have a few hundred. */
const FIELDS_MAX = 10_000;
/** Fields of a part that contain parts; `outputs` are those of OpenAI's code interpreter. */
const partNames: ReadonlySet<string> = new Set(['content', 'output', 'outputs']);
/** Fields with Gemini's tool results, whose `parts` may contain images. */
const resultNames: ReadonlySet<string> = new Set(['functionResponse', 'function_response']);
/** Names of a message's or part's fields that count as one token, because vendors read a role marker instead. */
const plainName = /^[A-Za-z_]{1,16}$/;
/** Characters of a number that counts as one token, such as a token id; longer ones have a token for three digits. */
const SHORT_NUMBER = 6;
const DIGITS_PER_TOKEN = 3;
/** Maximum tokens of a character beyond ASCII, which a vendor may write as `\u0298` into the prompt. */
const ESCAPE_TOKENS = 6;

/**
 * Reads the body. Each field, short number, boolean and empty list counts as one token, which approximates what vendors
 * add per message and schema field. The names in schemas and arguments, which vendors read as JSON, are text as well.
 * Every string is text, except the payload of a part of a message's content: the fields of an image are text anywhere
 * else.
 * @throws InvalidRequestError when an object is too wide, or a number too large
 */
export function readPrompt(body: JsonObject, family: ModelFamily, reader: PromptReader): void {
  new Prompt(family, reader).read(body);
}

/** Object that a vendor reads as JSON, such as a schema, or one of a message, a part, or its media. */
type FieldKind = 'data' | 'structure';

class Prompt {
  readonly #family: ModelFamily;
  readonly #reader: PromptReader;

  constructor(family: ModelFamily, reader: PromptReader) {
    this.#family = family;
    this.#reader = reader;
  }

  read(body: JsonObject): void {
    this.#fields(body, 'structure', (name, item) => {
      if (name === 'messages' || name === 'contents') this.#items(item, (message) => this.#message(message));
      // Each item of Responses, embeddings and rankings is a message, a text, or has a payload.
      else if (name === 'input' || name === 'documents') this.#items(item, (part) => this.#part(part));
      // Requests for embeddings of Gemini.
      else if (name === 'content') this.#message(item);
      else if (name === 'requests') this.#items(item, (request) => this.#request(request));
      else this.#value(item);
    });
  }

  #request(request: unknown): void {
    if (isObject(request)) this.read(request);
    else this.#value(request);
  }

  #message(message: unknown): void {
    if (!isObject(message)) return this.#value(message);
    this.#fields(message, 'structure', (name, item) => {
      if (name === 'content' || name === 'parts') this.#items(item, (part) => this.#part(part));
      // Images of an earlier response, where OpenRouter's clients keep them.
      else if (name === 'images') this.#items(item, (image) => this.#part(asImagePart(image)));
      else this.#value(item);
    });
  }

  /** Reads a part, which may contain parts: a tool's result, or a document of parts. */
  #part(part: unknown): void {
    if (!isObject(part)) return this.#value(part);
    const media = readMedia(part, this.#family);
    if (media?.kind === 'image') this.#reader.image(media.tokens);
    else if (media?.kind === 'audio') this.#reader.audio(media.tokens);
    else this.#reader.tokens(media?.tokens ?? 0);
    this.#fields(media?.rest ?? part, 'structure', (name, item) => {
      if (partNames.has(name)) this.#parts(item);
      else if (name === 'source' || resultNames.has(name)) this.#message(item);
      else this.#value(item, media !== undefined || name === 'cache_control' ? 'structure' : 'data');
    });
  }

  /** Reads the content of a part: a text, parts, or one part, such as a screenshot or a fetched document. */
  #parts(content: unknown): void {
    this.#items(isObject(content) ? [content] : content, (part) => this.#part(part));
  }

  #items(value: unknown, read: (item: unknown) => void): void {
    if (!Array.isArray(value)) return this.#value(value);
    for (const item of value) read(item);
  }

  #value(value: unknown, kind: FieldKind = 'data'): void {
    if (typeof value === 'string') this.#reader.text(value);
    else if (Array.isArray(value)) this.#list(value, kind);
    else if (isObject(value)) this.#fields(value, kind, (_name, item) => this.#value(item, kind));
    else this.#reader.tokens(countScalarTokens(value));
  }

  #list(values: readonly unknown[], kind: FieldKind): void {
    if (values.length === 0) this.#reader.tokens(1);
    for (const item of values) this.#value(item, kind);
  }

  #cacheBreakpoint(marked: JsonObject): void {
    const lifetime = readCacheBreakpoint(marked);
    if (lifetime !== undefined) this.#reader.cacheBreakpoint(lifetime);
  }

  #fields(value: JsonObject, kind: FieldKind, read: (name: string, item: unknown) => void): void {
    const names = Object.keys(value);
    if (names.length > FIELDS_MAX)
      throw new InvalidRequestError(
        `The request has more than ${FIELDS_MAX.toLocaleString('en')} fields in an object. Send fewer.`,
      );
    this.#reader.tokens(Math.max(1, names.length));
    for (const name of names) {
      if (name === 'cache_control') this.#cacheBreakpoint(value);
      else if (kind === 'data' || !plainName.test(name)) this.#reader.text(name);
      read(name, value[name]);
    }
  }
}

/**
 * Returns the tokens of a number, boolean or null. Vendors read a number digit by digit, and Python's keep every digit of
 * an integer.
 * @throws InvalidRequestError for a number beyond a double's range, whose digits the parsed body doesn't have
 */
function countScalarTokens(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') return 1;
  if (value === Infinity || value === -Infinity)
    throw new InvalidRequestError('The request has a number with more than 308 digits. Send a smaller number.');
  const length = countDigits(value);
  return length <= SHORT_NUMBER ? 1 : Math.ceil(length / DIGITS_PER_TOKEN);
}

function countDigits(value: number | bigint): number {
  // A double is written with an exponent from 1e21 on.
  const isLong = Number.isInteger(value) && Math.abs(Number(value)) >= 1e6;
  return isLong ? Math.floor(Math.log10(Math.abs(Number(value)))) + 1 : String(value).length;
}

class MaximumTokens implements PromptReader {
  characters = 0;
  others = 0;

  text(text: string): void {
    this.characters += text.length + (ESCAPE_TOKENS - 1) * (Buffer.byteLength(text) - text.length);
  }

  tokens(count: number): void {
    this.others += count;
  }

  image(tokens: number): void {
    this.others += tokens;
  }

  audio(tokens: number): void {
    this.others += tokens;
  }

  cacheBreakpoint(): void {}
}

/**
 * Returns the most tokens that a vendor can read in what the request shows, whatever its vocabulary: a token has at least
 * one byte. The actual number is a quarter of that or less.
 * @param factor tokens for one that is estimated, of content other than text
 */
export function countMaximumTokens({ billedJson, json, facts }: ClientRequest, factor: number): number {
  const most = new MaximumTokens();
  readPrompt(billedJson ?? json, findModelFamily(facts.model), most);
  return most.characters + factor * most.others;
}

/** Tokenizer input for a response without reported usage. */
export interface TokenizerInput {
  encoding: Encoding;
  prompt: string;
  /** Tokens of the prompt's content other than text. */
  nonTextTokens: number;
  /** Start of the delivered content. */
  answer: string;
}

class Texts implements PromptReader {
  /** Pieces up to the maximum length. */
  readonly parts: string[] = [];
  length = 0;
  other = 0;

  text(text: string): void {
    this.length += text.length + 1;
    if (this.length <= PROMPT_MAX) this.parts.push(text);
  }

  tokens(count: number): void {
    this.other += count;
  }

  image(tokens: number): void {
    this.other += tokens;
  }

  audio(tokens: number): void {
    this.other += tokens;
  }

  cacheBreakpoint(): void {}
}

/** Returns undefined if the model's vocabulary is unknown. @param model name at the vendor */
export function readTokenizerInput(request: ClientRequest, meter: Meter, model: string): TokenizerInput | undefined {
  const family = findModelFamily(model);
  if (family.encoding === undefined) return undefined;
  const texts = new Texts();
  readPrompt(request.billedJson ?? request.json, family, texts);
  if (texts.length > PROMPT_MAX) return undefined;
  return {
    encoding: family.encoding,
    prompt: texts.parts.join('\n'),
    nonTextTokens: texts.other,
    answer: meter.deliveredSample,
  };
}

function asImagePart(image: unknown): unknown {
  return isObject(image) ? { type: 'image_url', ...image } : image;
}

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
/** Maximum characters of a field name that counts as one token; longer names count as text. */
const SHORT_NAME = 16;

/**
 * Reads the body. Each key, number and boolean counts as one token, which approximates what vendors add per message
 * and schema field. Every string is text, except the payload of a part of a message's content: the fields of an image
 * are text anywhere else.
 * @throws InvalidRequestError when an object is too wide
 */
export function readPrompt(body: JsonObject, family: ModelFamily, reader: PromptReader): void {
  new Prompt(family, reader).read(body);
}

class Prompt {
  readonly #family: ModelFamily;
  readonly #reader: PromptReader;

  constructor(family: ModelFamily, reader: PromptReader) {
    this.#family = family;
    this.#reader = reader;
  }

  read(body: JsonObject): void {
    this.#fields(body, (name, item) => {
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
    this.#fields(message, (name, item) => {
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
    this.#fields(media?.rest ?? part, (name, item) => {
      if (partNames.has(name)) this.#parts(item);
      else if (name === 'source' || resultNames.has(name)) this.#message(item);
      else this.#value(item);
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

  #value(value: unknown): void {
    if (typeof value === 'string') this.#reader.text(value);
    else if (Array.isArray(value)) for (const item of value) this.#value(item);
    else if (isObject(value)) this.#fields(value, (_name, item) => this.#value(item));
    else this.#reader.tokens(1);
  }

  #cacheBreakpoint(marked: JsonObject): void {
    const lifetime = readCacheBreakpoint(marked);
    if (lifetime !== undefined) this.#reader.cacheBreakpoint(lifetime);
  }

  #fields(value: JsonObject, read: (name: string, item: unknown) => void): void {
    const names = Object.keys(value);
    if (names.length > FIELDS_MAX)
      throw new InvalidRequestError(
        `The request has more than ${FIELDS_MAX.toLocaleString('en')} fields in an object. Send fewer.`,
      );
    this.#reader.tokens(names.length);
    for (const name of names) {
      if (name.length > SHORT_NAME) this.#reader.text(name);
      else if (name === 'cache_control') this.#cacheBreakpoint(value);
      read(name, value[name]);
    }
  }
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

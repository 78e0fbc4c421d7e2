/** Walks through a request's body for everything that costs prompt tokens. */
import { InvalidRequest } from '../format.ts';
import { isObject, type JsonObject } from '../json.ts';
import { readMedia } from './media-part.ts';
import type { ModelFamily } from './model-family.ts';

export interface PromptReader {
  text(text: string): void;
  /** What is no text: structure, pictures, files. */
  tokens(count: number): void;
}

/** Each field costs work at every later step; the widest tool schemas have a few hundred. */
const FIELDS_MAX = 10_000;
/** The name of a field counts as one token up to here, and then as the text that it is. Characters. */
const SHORT_NAME = 32;

/**
 * Each key, number and boolean counts as one token, which comes close to what vendors add per message and per
 * schema field. A string is text wherever it stands, but for the payload of a part of a message's content: anywhere
 * else the fields of a picture are words to the model.
 * @throws InvalidRequest when an object is too wide
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

  read({ messages, ...rest }: JsonObject): void {
    this.#value(rest);
    this.#list(messages, (message) => this.#message(message));
  }

  #message(message: unknown): void {
    if (!isObject(message)) return this.#value(message);
    const { content, ...rest } = message;
    this.#value(rest);
    this.#list(content, (part) => this.#part(part));
  }

  /** May have parts itself: a tool's result, a document that is given in parts. */
  #part(part: unknown): void {
    if (!isObject(part)) return this.#value(part);
    const media = readMedia(part, this.#family);
    this.#reader.tokens(media?.tokens ?? 0);
    const { content, source, ...rest } = media?.rest ?? part;
    this.#value(rest);
    this.#list(content, (inner) => this.#part(inner));
    if (isObject(source)) this.#message(source);
    else this.#list(source, (item) => this.#value(item));
  }

  /** A field that may hold a list. */
  #list(value: unknown, read: (item: unknown) => void): void {
    if (value === undefined) return;
    this.#reader.tokens(1);
    if (!Array.isArray(value)) return this.#value(value);
    for (const item of value) read(item);
  }

  #value(value: unknown): void {
    if (typeof value === 'string') return this.#reader.text(value);
    if (typeof value !== 'object' || value === null) return this.#reader.tokens(1);
    if (Array.isArray(value)) {
      for (const item of value) this.#value(item);
      return;
    }
    const fields = Object.entries(value);
    if (fields.length > FIELDS_MAX)
      throw new InvalidRequest(`The request has an object with more than ${FIELDS_MAX} fields.`);
    this.#reader.tokens(fields.length);
    for (const [name, item] of fields) {
      if (name.length > SHORT_NAME) this.#reader.text(name);
      this.#value(item);
    }
  }
}

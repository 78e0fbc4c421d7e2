/** Replaces base64 images in a response by URLs of stored copies. */

import { emptyBuffer, isObject, listOf, objectOf, parseJson, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { BytePieces } from '../wire/byte-pieces.ts';
import { formatSseEvent, parseSseEvents, splitEvents } from '../wire/sse.ts';
import { WrappingReader } from './wrapping-reader.ts';

/** @returns URL of the stored image; undefined if it is not stored and stays in the response */
export type StoreImage = (base64: string) => string | undefined;

const dataUrl = /^data:image\/[\w.+-]{1,40};base64,/;
const DATA_URL = 'data:image';
const BASE64 = '"b64_json"';

/**
 * Returns whether an image may be delivered as a URL: the dialect allows it and the client didn't request the bytes.
 */
export function canLinkImages({ format, operation, json, facts }: ClientRequest): boolean {
  return format === 'openai-chat' || (operation === 'images' && json['response_format'] === 'url' && !facts.stream);
}

/**
 * Wrapper of a reader of events, or of a non-streaming response. Bytes are unchanged unless they contain an image.
 */
export class LinkedImagesReader extends WrappingReader {
  readonly #keep: StoreImage;
  readonly #isStream: boolean;
  readonly #whole = new BytePieces();

  constructor(answer: ResponseReader, keep: StoreImage, isStream: boolean) {
    super(answer);
    this.#keep = keep;
    this.#isStream = isStream;
  }

  protected get ownBytes(): number {
    return this.#whole.length;
  }

  protected change(bytes: Buffer, isEnd: boolean): Buffer {
    if (this.#isStream)
      return bytes.includes(DATA_URL)
        ? Buffer.concat([...splitEvents(bytes)].map((event) => this.#linked(event)))
        : bytes;
    this.#whole.push(bytes);
    if (!isEnd) return emptyBuffer;
    const whole = this.#whole.whole();
    this.#whole.clear();
    if (!whole.includes(DATA_URL) && !whole.includes(BASE64)) return whole;
    const json = parseJson(whole.toString('utf8'));
    return isObject(json) && this.#link(json) ? Buffer.from(JSON.stringify(json)) : whole;
  }

  #linked(bytes: Buffer): Buffer {
    const [event] = bytes.includes(DATA_URL) ? parseSseEvents(bytes) : [];
    const json = event === undefined ? undefined : parseJson(event.data);
    if (event === undefined || !isObject(json) || !this.#link(json)) return bytes;
    return formatSseEvent(event.name, json);
  }

  /** @returns whether any image became a URL */
  #link(answer: Record<string, unknown>): boolean {
    const messages = listOf(answer['choices']).map((choice) => {
      const { delta, message } = objectOf(choice);
      return objectOf(delta ?? message);
    });
    const inChat = messages.flatMap(({ images }) => listOf(images).map((image) => objectOf(image)['image_url']));
    const pictures = [...inChat, ...listOf(answer['data'])].filter(isObject);
    return pictures.map((picture) => this.#linkOne(picture)).includes(true);
  }

  #linkOne(picture: Record<string, unknown>): boolean {
    const inUrl = textOf(picture['url']) ?? '';
    const [start] = dataUrl.exec(inUrl) ?? [];
    const base64 = start === undefined ? textOf(picture['b64_json']) : inUrl.slice(start.length);
    const address = base64 === undefined ? undefined : this.#keep(base64);
    if (address === undefined) return false;
    delete picture['b64_json'];
    picture['url'] = address;
    return true;
  }
}

/** What an answer of the Responses API says at its end, read from the bytes that the client gets. */
import { SseSplitter, sseEvents } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { StreamMemory } from './recording-response.ts';

interface FinalResponse {
  id: string;
  fields: Record<string, unknown>;
}

const lastEvents: readonly unknown[] = ['response.completed', 'response.incomplete'];
/** Of the many events of an answer only what has one of them is worth parsing. */
const lastNames = lastEvents.map((type) => `"${String(type)}"`);

/** Undefined for an error, and for an answer that did not come to its end. */
export function finalResponse(
  answer: { status: number; contentType: string; body: Buffer } | undefined,
): FinalResponse | undefined {
  if (answer === undefined || answer.status !== 200) return undefined;
  const { contentType, body } = answer;
  if (!contentType.startsWith('text/event-stream')) return responseOf(parseJson(body.toString('utf8')));
  const last = sseEvents(body)
    .filter(({ data }) => lastNames.some((name) => data.includes(name)))
    .map(({ data }) => parseJson(data))
    .findLast((event) => isObject(event) && lastEvents.includes(event['type']));
  return responseOf(isObject(last) ? last['response'] : undefined);
}

/** Of a stream only the event that ends it is held, which repeats the whole answer. */
export class FinalEvents implements StreamMemory {
  readonly #splitter = new SseSplitter();
  #last = Buffer.alloc(0);

  get heldBytes(): number {
    return this.#last.length + this.#splitter.heldBytes;
  }

  add(chunk: Buffer): void {
    const events = this.#splitter.push(chunk);
    if (lastNames.some((name) => events.includes(name))) this.#last = Buffer.from(events);
  }

  /** With what is left where the stream ended without the blank line behind its last event. */
  take(): Buffer {
    return Buffer.concat([this.#last, this.#splitter.end()]);
  }
}

/** What a request says: one text is one message. */
export function listOfItems(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }];
  return Array.isArray(value) ? value : [];
}

function responseOf(fields: unknown): FinalResponse | undefined {
  if (!isObject(fields) || fields['object'] !== 'response') return undefined;
  const { id } = fields;
  return typeof id === 'string' && id !== '' ? { id, fields } : undefined;
}

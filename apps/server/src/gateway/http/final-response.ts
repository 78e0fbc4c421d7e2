/** Final event of a Responses API stream, read from the bytes that the client receives. */
import { SseSplitter, sseEvents } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { StreamMemory } from './recording-response.ts';

interface FinalResponse {
  id: string;
  fields: Record<string, unknown>;
}

const lastEvents: readonly unknown[] = ['response.completed', 'response.incomplete'];
/** Names that a final event contains; only events with one of them are worth parsing. */
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

/** Memory of a stream that keeps only its final event, which repeats the whole response. */
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

  /**
   * Returns the final event, with the remainder of a stream that ended without the blank line behind its last event.
   */
  take(): Buffer {
    return Buffer.concat([this.#last, this.#splitter.end()]);
  }
}

/** Returns the items of a request's input; a plain string is one message. */
export function listOfItems(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }];
  return Array.isArray(value) ? value : [];
}

function responseOf(fields: unknown): FinalResponse | undefined {
  if (!isObject(fields) || fields['object'] !== 'response') return undefined;
  const { id } = fields;
  return typeof id === 'string' && id !== '' ? { id, fields } : undefined;
}

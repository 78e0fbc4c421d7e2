/** Final event of a Responses API stream, read from the bytes that the client receives. */
import { parseSseEvents, SseSplitter } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { StreamMemory } from './recording-response.ts';

interface FinalResponse {
  id: string;
  fields: Record<string, unknown>;
}

const finalEventTypes = ['response.completed', 'response.incomplete'];
/** Names of final events; only events that contain one of them are parsed. */
const finalEventMarkers = finalEventTypes.map((type) => `"${type}"`);

/** Returns undefined for an error, and for an incomplete response. */
export function findFinalResponse(
  answer: { status: number; contentType: string; body: Buffer } | undefined,
): FinalResponse | undefined {
  if (answer === undefined || answer.status !== 200) return undefined;
  const { contentType, body } = answer;
  if (!contentType.startsWith('text/event-stream')) return toFinalResponse(parseJson(body.toString('utf8')));
  const last = parseSseEvents(body)
    .filter(({ data }) => finalEventMarkers.some((name) => data.includes(name)))
    .map(({ data }) => parseJson(data))
    .findLast((event) => isObject(event) && finalEventTypes.some((type) => type === event['type']));
  return toFinalResponse(isObject(last) ? last['response'] : undefined);
}

/** Memory of a stream that keeps only its final event, which repeats the whole response. */
export class FinalEventMemory implements StreamMemory {
  readonly #splitter = new SseSplitter();
  #last = Buffer.alloc(0);

  get heldBytes(): number {
    return this.#last.length + this.#splitter.heldBytes;
  }

  add(chunk: Buffer): void {
    const events = this.#splitter.push(chunk);
    if (finalEventMarkers.some((name) => events.includes(name))) this.#last = Buffer.from(events);
  }

  /** Returns the final event, with the remainder of a stream that lacks the blank line after its last event. */
  take(): Buffer {
    return Buffer.concat([this.#last, this.#splitter.end()]);
  }
}

/** Returns the items of a request's input; a plain string is one message. */
export function toItemList(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }];
  return Array.isArray(value) ? value : [];
}

function toFinalResponse(fields: unknown): FinalResponse | undefined {
  if (!isObject(fields) || fields['object'] !== 'response') return undefined;
  const { id } = fields;
  return typeof id === 'string' && id !== '' ? { id, fields } : undefined;
}

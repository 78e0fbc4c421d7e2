import { checkItemCount, ITEMS_MAX } from '../../../../errors/response-limits.ts';
import { type JsonObject, keyOf, listOf, numberOf, objectOf, shortCopy } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../../model/dialect.ts';
import { startEvent } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { isFinalEvent, isUnfinished, readFinish } from '../response-object-and-items.ts';
import { UsageReport } from '../usage-report.ts';
import { type DecoderState, ItemReader } from './output-item-reader.ts';

/** Maximum characters of an id that is kept; longer ones are encrypted, and change with each event. */
const ID_MAX = 256;

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new ResponseDecoder(lost);
}

/**
 * Decodes a non-streaming response as a stream with only the last event. An unfinished response has no finish event.
 */
export function decodeResponse(body: unknown, lost: UnsupportedFields): ResponseEvent[] {
  const events = new ResponseDecoder(lost).push({ type: 'response.completed', response: body });
  return isUnfinished(objectOf(body)) ? events.filter(({ type }) => type !== 'finish') : events;
}

/**
 * Decoder that identifies items by their position in the output, because some upstreams change ids between an item's
 * start and end, and skip positions. Content that arrives only with an item's end, or with the end of the response,
 * is read there.
 */
class ResponseDecoder implements StreamDecoder {
  #isStarted = false;
  #isOver = false;
  readonly #items = new Map<unknown, ItemReader>();
  /** Positions of items by id, for events that contain only the id. */
  readonly #places = new Map<string, unknown>();
  readonly #said: DecoderState;
  readonly #report = new UsageReport();

  constructor(lost: UnsupportedFields) {
    this.#said = { textLength: 0, calls: 0, isRefused: false, isThinking: false, lost };
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  end(): ResponseEvent[] {
    return [];
  }

  push(event: JsonObject): ResponseEvent[] {
    const { type, response } = event;
    if (this.#isOver) return [];
    if (isFinalEvent(type)) return this.#end(objectOf(response));
    if (response !== undefined) {
      this.#report.addTokens(objectOf(response));
      return this.#start(objectOf(response));
    }
    const place = this.#placeOf(event);
    if (place === undefined) return [];
    this.#report.addEvent(event);
    return [...this.#start({}), ...this.#itemAt(place).read(event)];
  }

  #placeOf(event: JsonObject): unknown {
    const index = numberOf(event['output_index']);
    const id = keyOf(event['item_id']) ?? keyOf(objectOf(event['item'])['id']);
    if (id === undefined) return index;
    if (index === undefined) return this.#places.get(id) ?? shortCopy(id);
    if (id.length <= ID_MAX && this.#places.size < ITEMS_MAX) this.#places.set(id, index);
    return index;
  }

  #itemAt(place: unknown): ItemReader {
    const known = this.#items.get(place);
    if (known !== undefined) return known;
    checkItemCount(this.#items.size + 1);
    const item = new ItemReader(this.#said);
    this.#items.set(place, item);
    return item;
  }

  #start(response: JsonObject): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [startEvent(response['id'], response['model'])];
  }

  #end(response: JsonObject): ResponseEvent[] {
    const events = this.#start(response);
    // Spreading into one `push` would exceed the argument limit for a response with many items.
    if (this.#items.size === 0) {
      for (const [place, item] of listOf(response['output']).entries())
        for (const event of this.#itemAt(place).finish(objectOf(item))) events.push(event);
    } else {
      for (const item of this.#items.values()) for (const event of item.finishCall({})) events.push(event);
    }
    this.#report.addResponse(response);
    this.#isOver = true;
    const { usage } = this;
    if (usage !== undefined) events.push({ type: 'usage', usage });
    const hasCalls = this.#said.calls > 0;
    events.push({ type: 'finish', reason: readFinish(response, { ...this.#said, hasCalls }) });
    return events;
  }
}

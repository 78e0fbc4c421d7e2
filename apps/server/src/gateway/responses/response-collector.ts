/** Collects a background response from the response to the internal request that generates it. */
import { parseSseEvents, SseSplitter } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { InternalResponse } from '../pipeline/internal-request.ts';
import type { ResponseEvents } from './response-events.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export type GeneratedResponse =
  | {
      /** Fields as clients receive them, except for the id. */
      fields: JsonObject;
      /** Id that the provider gave the response. */
      name: string;
    }
  | { failure: { code: string; message: string } };

/** Events that end a response; its status is in the event itself. */
const finalEventTypes: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
/** Initial events are replaced by the gateway's own. */
const initialEventTypes: ReadonlySet<unknown> = new Set(['response.created', 'response.queued']);

const MESSAGE_MAX = 1_000;

export class ResponseCollector {
  readonly #id: string;
  readonly #events: ResponseEvents | undefined;
  readonly #splitter = new SseSplitter();
  #made: GeneratedResponse | undefined;

  /** @param events receives the stream's events except the final one */
  constructor(id: string, events: ResponseEvents | undefined) {
    this.#id = id;
    this.#events = events;
  }

  addChunk(piece: Buffer): void {
    this.#note(this.#splitter.push(piece));
  }

  end({ status, body }: InternalResponse): GeneratedResponse {
    this.#note(this.#splitter.end());
    if (this.#made !== undefined) return this.#made;
    const json = parseJson(body.toString('utf8'));
    const answer = isObject(json) ? json : {};
    return status === 200 ? toGeneratedResponse(answer) : { failure: readFailure(answer) };
  }

  #note(events: Buffer): void {
    for (const { data } of parseSseEvents(events)) {
      const event = parseJson(data);
      if (isObject(event)) this.#recordEvent(event);
    }
  }

  #recordEvent(event: JsonObject): void {
    const { type, response } = event;
    if (initialEventTypes.has(type)) return;
    if (type === 'error') this.#made = { failure: readFailure(event) };
    else if (finalEventTypes.has(type)) this.#made = toGeneratedResponse(isObject(response) ? response : {});
    else
      this.#events?.add(
        isObject(response) ? { ...event, response: { ...response, id: this.#id, background: true } } : event,
      );
  }
}

function toGeneratedResponse(response: JsonObject): GeneratedResponse {
  if (response['status'] === 'failed' || response['object'] !== 'response') return { failure: readFailure(response) };
  return { fields: { ...response, background: true }, name: typeof response['id'] === 'string' ? response['id'] : '' };
}

/** Returns the failure from an `error` object, or from the fields beside an event's type. */
function readFailure(answer: JsonObject): { code: string; message: string } {
  const error = isObject(answer['error']) ? answer['error'] : answer;
  const { code, message } = error;
  return {
    code: typeof code === 'string' ? code : 'server_error',
    message:
      typeof message === 'string'
        ? message.slice(0, MESSAGE_MAX)
        : 'The response was interrupted. Send the request again.',
  };
}

/** Returns the whole text of a response. */
export function outputText({ output }: JsonObject): string {
  const items = Array.isArray(output) ? output.filter(isObject) : [];
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []));
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

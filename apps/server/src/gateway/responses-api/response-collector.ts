/** Collects a background response from the response to the internal request that generates it. */
import { DetachedStrings, parseSseEvents, SseSplitter, splitEvents, type TaskArtifact } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { Lease } from '../../db/leases.ts';
import { LONG_BYTES } from '../limits/paced-executor.ts';
import type { InternalResponse } from '../pipeline/internal-request.ts';
import type { ResponseEvents } from './background-response-events.ts';
import { INTERRUPTED } from './background-responses-across-nodes.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export type GeneratedResponse =
  | {
      /** Fields as clients receive them, except for the id and the strings that are kept aside. */
      fields: JsonObject;
      strings: DetachedStrings;
      /** Id that the provider gave the response. */
      name: string;
    }
  | { failure: { code: string; message: string } };

/** Events that end a response; its status is in the event itself. */
const finalEventTypes: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
/** Initial events are replaced by the gateway's own. */
const initialEventTypes: ReadonlySet<unknown> = new Set(['response.created', 'response.queued']);

const MESSAGE_MAX = 1_000;
const NOT_STORED = 'The response could not be stored: without its images it still exceeds 16 MB, or it was deleted.';
/** Maximum characters of a response that its task shows. */
const SHOWN_TEXT_MAX = 200;

interface CollectorOptions {
  id: string;
  /** Receives the stream's events except the final one. */
  events: ResponseEvents | undefined;
  /** Runs work that takes long so that other requests are not delayed. */
  runPaced: <T>(work: () => T) => Promise<T>;
  /** Counts the bytes of an incomplete event; may throw. */
  hold: (bytes: number) => void;
}

export class ResponseCollector {
  readonly #options: CollectorOptions;
  readonly #splitter = new SseSplitter();
  #made: GeneratedResponse | undefined;
  /** Bytes that the generated response keeps in memory. */
  #madeBytes = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** @throws what `hold` throws */
  async addChunk(piece: Buffer): Promise<void> {
    const events = this.#splitter.push(piece);
    this.#options.hold(this.#madeBytes + events.length + this.#splitter.heldBytes);
    await this.#note(events);
  }

  async end({ status, body }: InternalResponse): Promise<GeneratedResponse> {
    await this.#note(this.#splitter.end());
    if (this.#made !== undefined) return this.#made;
    return this.#run(body, () => {
      const strings = new DetachedStrings();
      const json = parseJson(strings.detach(body));
      const answer = isObject(json) ? json : {};
      return status === 200 ? toGeneratedResponse(answer, strings) : { failure: readFailure(answer) };
    });
  }

  async #note(run: Buffer): Promise<void> {
    if (run.length === 0) return;
    await this.#run(run, () => this.#read(run));
    if (this.#made !== undefined && this.#madeBytes === 0) this.#madeBytes = run.length;
  }

  #run<T>(bytes: Buffer, work: () => T): Promise<T> | T {
    return bytes.length < LONG_BYTES ? work() : this.#options.runPaced(work);
  }

  #read(run: Buffer): void {
    for (const bytes of splitEvents(run)) {
      const strings = new DetachedStrings();
      for (const { data } of parseSseEvents(Buffer.from(strings.detach(bytes)))) {
        const event = parseJson(data);
        if (isObject(event)) this.#recordEvent(event, strings);
      }
    }
  }

  #recordEvent(event: JsonObject, strings: DetachedStrings): void {
    const { id, events } = this.#options;
    const { type, response } = event;
    if (initialEventTypes.has(type)) return;
    if (type === 'error') this.#made = { failure: readFailure(event) };
    else if (finalEventTypes.has(type)) this.#made = toGeneratedResponse(isObject(response) ? response : {}, strings);
    else
      events?.add(isObject(response) ? { ...event, response: { ...response, id, background: true } } : event, strings);
  }
}

function toGeneratedResponse(response: JsonObject, strings: DetachedStrings): GeneratedResponse {
  if (response['status'] === 'failed' || response['object'] !== 'response') return { failure: readFailure(response) };
  const name = typeof response['id'] === 'string' ? response['id'] : '';
  return { fields: { ...response, background: true }, strings, name };
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

/** Returns the whole text of a response. @param strings strings for which names stand in it */
function outputText({ output }: JsonObject, strings?: DetachedStrings): string {
  const items = Array.isArray(output) ? output.filter(isObject) : [];
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []));
  return parts.map(({ text }) => (typeof text === 'string' ? (strings?.read(text) ?? text) : '')).join('');
}

/**
 * Returns a shortened text for the task; the whole text is in the response, which its owner can delete.
 * @param strings strings for which names stand in the response
 */
export function toArtifacts(response: JsonObject, strings?: DetachedStrings): [TaskArtifact] {
  return [{ kind: 'text', text: outputText(response, strings).slice(0, SHOWN_TEXT_MAX) }];
}

/** Returns the status and the reason of a response that ends without being stored. */
export function describeFailure(
  { stop, lease }: { stop: AbortController; lease: Pick<Lease, 'lost'> },
  generated: GeneratedResponse,
): { status: string; failure: string } & JsonObject {
  if (lease.lost.aborted) {
    const error = { code: 'server_error', message: INTERRUPTED };
    return { status: 'failed', error, failure: INTERRUPTED };
  }
  if ('fields' in generated) {
    const error = { code: 'server_error', message: NOT_STORED };
    // Other fields of the generated response may be too large.
    return { status: 'failed', error, failure: NOT_STORED };
  }
  if (stop.signal.aborted) return { status: 'cancelled', failure: 'The response was canceled.' };
  return { status: 'failed', error: generated.failure, failure: generated.failure.message };
}

import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import { tooLargeError } from '../../../../errors/upstream-error.ts';
import { shortCopy } from '../../../../json/json.ts';
import type { ClientRequest } from '../../../../model/client-request.ts';
import type { FinishReason, ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamEncoder, UnsupportedFields } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { type OutputEvent, serializeResponseObject, writeFinish } from '../response-object-and-items.ts';
import { writeUsage } from '../usage-report.ts';
import { OutputBuilder } from './output-builder.ts';

/** Maximum characters of an upstream's id, so that derived ids stay within the vendor's limit of 64. */
const ANSWER_ID_MAX = 40;
/** Memory of a piece of text besides its characters. */
const PIECE_CHARACTERS = 32;

/**
 * Builder of a response from its events, which returns the events from which a client builds the same response. The
 * last event repeats the whole response, which is therefore kept in memory.
 */
class ResponseBuilder {
  readonly #request: ClientRequest;
  readonly #lost: UnsupportedFields;
  /** Unique id, unlike those of many vendors, because later requests continue the conversation by it. */
  readonly #id = createId('resp_');
  readonly #createdAt = Math.floor(Date.now() / 1000);
  /** First start of the upstream; some start twice, others never. */
  #begun: { id: string; model: string } | undefined;
  #answerId = '';
  #output: OutputBuilder | undefined;
  #usage: Usage | undefined;
  #reason: FinishReason = 'stop';
  /** Characters of content that the last event repeats. */
  #contentCharacters = 0;

  constructor(request: ClientRequest, lost: UnsupportedFields) {
    this.#request = request;
    this.#lost = lost;
  }

  /** Characters that the last event will have. */
  get heldCharacters(): number {
    return this.#contentCharacters + this.#repeated.length;
  }

  push(event: ResponseEvent): OutputEvent[] {
    if ((event.choice ?? 0) > 0) {
      this.#lost.add('n');
      return [];
    }
    this.#hold(event);
    // The first events wait for content: they repeat the request, and would be held back until then.
    if (event.type === 'start') this.#begun ??= event;
    else if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') this.#reason = event.reason;
    else {
      const [output, events] = this.#start();
      return [...events, ...output.push(event)];
    }
    return [];
  }

  /** Closes the open items and returns the last event, which contains the whole response. */
  end(): { events: OutputEvent[]; response: string } {
    const [output, events] = this.#start();
    const ending = writeFinish(this.#reason, output.isRefused);
    const isComplete = ending.status === 'completed';
    // In a truncated response, the last item is incomplete.
    const closed = output.end(isComplete ? 'completed' : 'incomplete');
    const response = this.#response({
      ...ending,
      completed_at: isComplete ? Math.floor(Date.now() / 1000) : null,
      output: output.items,
      usage: writeUsage(this.#usage),
    });
    return { events: [...events, ...closed, { type: `response.${ending.status}`, response }], response };
  }

  #start(): [OutputBuilder, OutputEvent[]] {
    if (this.#output !== undefined) return [this.#output, []];
    const { id = '' } = this.#begun ?? {};
    const plain = id.replace(/^(resp|msg|chatcmpl)[_-]/, '').replaceAll(/[^a-zA-Z0-9_-]/g, '');
    this.#answerId = plain === '' ? createId('') : shortCopy(plain, ANSWER_ID_MAX);
    this.#output = new OutputBuilder(this.#answerId, this.#request.json, this.#lost);
    const response = this.#response({ status: 'in_progress' });
    const events = ['response.created', 'response.in_progress'].map((type) => ({ type, response }));
    return [this.#output, events];
  }

  get #repeated(): string {
    const { json, clientJson } = this.#request;
    return serializeResponseObject(clientJson ?? json);
  }

  /** Returns the JSON of the response. */
  #response(fields: Record<string, unknown>): string {
    const own = {
      id: this.#id,
      created_at: this.#createdAt,
      completed_at: null,
      model: this.#begun?.model ?? '',
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
      ...fields,
    };
    return `${JSON.stringify(own).slice(0, -1)},${this.#repeated.slice(1)}`;
  }

  /** @throws UpstreamError */
  #hold(event: ResponseEvent): void {
    this.#contentCharacters += PIECE_CHARACTERS;
    this.#contentCharacters += 'text' in event ? event.text.length : JSON.stringify(event).length;
    if (this.#contentCharacters > HELD_BYTES_MAX)
      throw tooLargeError('The upstream sent a response that is too large.');
  }
}

/** Returns the JSON of the response that a client would build from the stream. */
export function encodeResponse(
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): string {
  const builder = new ResponseBuilder(request, lost);
  for (const event of events) builder.push(event);
  return builder.end().response;
}

export function createStreamEncoder(request: ClientRequest, lost: UnsupportedFields): StreamEncoder {
  return new EventEncoder(request, lost);
}

/** Encoder that numbers the events of a response. The final response ends the stream. */
class EventEncoder implements StreamEncoder {
  readonly #builder: ResponseBuilder;
  #count = 0;

  constructor(request: ClientRequest, lost: UnsupportedFields) {
    this.#builder = new ResponseBuilder(request, lost);
  }

  get heldCharacters(): number {
    return this.#builder.heldCharacters;
  }

  push(event: ResponseEvent): string {
    return this.#written(this.#builder.push(event));
  }

  end(): string {
    return this.#written(this.#builder.end().events);
  }

  #written(events: readonly OutputEvent[]): string {
    let written = '';
    for (const { type, response, ...fields } of events) {
      const data = JSON.stringify({ type, sequence_number: this.#count, ...fields });
      this.#count++;
      const whole = response === undefined ? data : `${data.slice(0, -1)},"response":${response}}`;
      written += `event: ${type}\ndata: ${whole}\n\n`;
    }
    return written;
  }
}

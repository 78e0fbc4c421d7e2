import { garbledError, HELD_BYTES_MAX } from '../../../../errors/response-errors.ts';
import type { ClientRequest } from '../../../../model/client-request.ts';
import type { FinishReason, ResponseEvent } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { createResponseObject, writeFinish } from '../response-object.ts';
import { writeUsage } from '../usage-report.ts';
import { OutputBuilder } from './output-builder.ts';
import type { OutputEvent } from './output-item.ts';

/** The vendor's limit for an id is 64 characters. */
const ANSWER_ID_MAX = 40;

/**
 * Builds a response from what an answer says, telling the events by which a client builds the same. The end repeats the
 * whole answer, which is why it is kept.
 */
export class ResponseBuilder {
  readonly #request: ClientRequest;
  readonly #lost: UnsupportedFields;
  /** Unlike many a vendor's, it is never given twice: conversations go on from it. */
  readonly #id = createId('resp_');
  readonly #createdAt = Math.floor(Date.now() / 1000);
  #answerId = '';
  #model = '';
  #output: OutputBuilder | undefined;
  #usage: Usage | undefined;
  #reason: FinishReason = 'stop';
  /** Characters of content that the response at the end repeats. */
  heldCharacters = 0;

  constructor(request: ClientRequest, lost: UnsupportedFields) {
    this.#request = request;
    this.#lost = lost;
  }

  push(event: ResponseEvent): OutputEvent[] {
    if ((event.choice ?? 0) > 0) {
      this.#lost.add('n');
      return [];
    }
    this.#hold(event);
    if (event.type === 'start') return this.#start(event.id, event.model)[1];
    if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') this.#reason = event.reason;
    else {
      const [output, events] = this.#start('', '');
      return [...events, ...output.push(event)];
    }
    return [];
  }

  /** Closes the open items and returns the last event, which holds the whole response. */
  end(): { events: OutputEvent[]; response: Record<string, unknown> } {
    const [output, events] = this.#start('', '');
    const ending = writeFinish(this.#reason, output.isRefused);
    const isComplete = ending.status === 'completed';
    // Where the answer was cut, its last item is not complete.
    const closed = output.end(isComplete ? 'completed' : 'incomplete');
    const response = this.#response({
      ...ending,
      completed_at: isComplete ? Math.floor(Date.now() / 1000) : null,
      output: output.items,
      usage: writeUsage(this.#usage),
    });
    return { events: [...events, ...closed, { type: `response.${ending.status}`, response }], response };
  }

  /** Some upstreams start twice, others not at all; one answer keeps its first id. */
  #start(id: string, model: string): [OutputBuilder, OutputEvent[]] {
    if (this.#output !== undefined) return [this.#output, []];
    const plain = id.replace(/^(resp|msg|chatcmpl)[_-]/, '').replaceAll(/[^a-zA-Z0-9_-]/g, '');
    this.#answerId = plain === '' ? createId('') : plain.slice(0, ANSWER_ID_MAX);
    this.#model = model;
    this.#output = new OutputBuilder(this.#answerId, this.#request.json, this.#lost);
    const response = this.#response({ status: 'in_progress' });
    const events = ['response.created', 'response.in_progress'].map((type) => ({ type, response }));
    return [this.#output, events];
  }

  #response(fields: Record<string, unknown>): Record<string, unknown> {
    const { json, clientJson } = this.#request;
    return {
      id: this.#id,
      created_at: this.#createdAt,
      completed_at: null,
      model: this.#model,
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
      ...createResponseObject(clientJson ?? json),
      ...fields,
    };
  }

  /** @throws UpstreamError */
  #hold(event: ResponseEvent): void {
    this.heldCharacters += 'text' in event ? event.text.length : JSON.stringify(event).length;
    if (this.heldCharacters > HELD_BYTES_MAX) throw garbledError('The upstream sent a response that is too large.');
  }
}

/**
 * Background responses (`background`): the client gets an id at once; the gateway generates the response by an
 * internal request on any channel, and stores it under that id. https://platform.openai.com/docs/guides/background
 */
import { type ClientRequest, createResponseObject } from '@switchyard/relay';
import { textOf } from '@switchyard/relay/json';
import type { Context } from '../../context.ts';
import type { Lease } from '../../db/leases.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type RepeatedTask, startRepeating } from '../../platform/timeouts-and-intervals.ts';
import {
  BACKGROUND_BYTES_MAX,
  isCompleted,
  parseResponse,
  type RunWork,
  readResponse,
  type StoredResponse,
  storeResponse,
  updateLargeResponse,
  updateResponse,
} from '../../stored-responses/stored-responses.ts';
import { endLocalTask, insertLocalTask, newTaskId, startLocalTask } from '../../tasks/tasks.ts';
import { retryStorage } from '../billing/retry-while-storage-fails.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { toItemList } from '../http/responses-final-event.ts';
import { HeldBytes } from '../limits/memory-budget.ts';
import { LONG_BYTES, type PacedExecutor, runPaced } from '../limits/paced-executor.ts';
import { type AcquiredResources, checkModel } from '../pipeline/admit-request.ts';
import type { Audience, SendInternalRequest } from '../pipeline/internal-request.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { EventMemory } from './background-event-memory.ts';
import { checkStorable, lastInputText } from './background-request.ts';
import { ResponseEvents } from './background-response-events.ts';
import {
  acquireResponseLease,
  cancelOnOtherNode,
  failInterrupted,
  findCancelledElsewhere,
  INTERRUPTED,
  isResponseCharged,
} from './background-responses-across-nodes.ts';
import { getPreviousResponseId } from './conversation-state.ts';
import { describeFailure, type GeneratedResponse, ResponseCollector, toArtifacts } from './response-collector.ts';
import { shortenResponse } from './shorten-response.ts';

export interface BackgroundCall {
  client: ClientResponse;
  principal: Principal;
  request: ClientRequest;
  /** Also the id of the internal request, and of its charge. */
  requestId: string;
  address: string;
  /** Held until the response is generated, if generation begins. */
  acquired: AcquiredResources;
  identify: () => Principal | Promise<Principal>;
}

export interface BackgroundResponses {
  /** Sends the initial response to the client, who may then disconnect. @throws RelayError when it is refused */
  begin(call: BackgroundCall): Promise<void>;
  /**
   * Starts the generation that a request has registered, once that request has ended. @returns false if it registered
   * none
   */
  startGeneration(requestId: string): boolean;
  /** Resolves once the response has ended; ignores responses that have ended or belong to another user. */
  cancel(userId: number, id: string): Promise<void>;
  /**
   * Sends the client the events after the given one, and later ones; resolves when no more are sent.
   * @returns undefined when no events are stored
   * @throws RelayError when there are too many followers
   */
  streamEvents(userId: number, id: string, client: ClientResponse, after: number): Promise<void> | undefined;
  /** Refuses new background responses. */
  stop(): void;
  /** Waits for running background responses. */
  settled(): Promise<void>;
}

/** Fields of a response that are known before it is generated, as clients see them. */
type Fields = Record<string, unknown>;

interface RunningResponse {
  userId: number;
  id: string;
  requestId: string;
  fields: Fields;
  /** Runs work on the fields, which repeat the request. */
  run: RunWork;
  stop: AbortController;
  start: () => void;
  /** Undefined if the client did not request a stream. */
  events: ResponseEvents | undefined;
  /** Lease of this node, held while the response is generated. */
  lease: Lease;
  done: Promise<void>;
}

const PROMPT_MAX = 8_000;
const CHECK_MS = 1_000;
/** Number of checks between two sweeps for responses that other nodes left unfinished. */
const CHECKS_PER_SWEEP = 15;
const INTERRUPTED_ERROR = { code: 'server_error', message: 'The response was interrupted. Send the request again.' };

/**
 * Fails responses that an earlier process left unfinished.
 * @param checkFunds throws RelayError when the account cannot pay for a response
 */
export async function createBackgroundResponses(
  ctx: Context,
  callInside: SendInternalRequest,
  pacedExecutor: PacedExecutor,
  checkFunds: CheckFunds,
): Promise<BackgroundResponses> {
  await failInterrupted(ctx, toArtifacts);
  return new BackgroundResponseManager(ctx, callInside, pacedExecutor, checkFunds);
}

type CheckFunds = (call: BackgroundCall) => Promise<void>;

class BackgroundResponseManager implements BackgroundResponses {
  readonly #ctx: Context;
  readonly #callInside: SendInternalRequest;
  readonly #checkFunds: CheckFunds;
  readonly #pacedExecutor: PacedExecutor;
  readonly #running = new Map<string, RunningResponse>();
  /** Background responses by the id of the request that began them, while that request runs. */
  readonly #begun = new Map<string, RunningResponse>();
  readonly #eventMemory = new EventMemory();
  #isStopped = false;
  #looks = 0;
  /** Undefined on a single node. */
  readonly #looksAtOthers: RepeatedTask | undefined;

  constructor(ctx: Context, callInside: SendInternalRequest, pacedExecutor: PacedExecutor, checkFunds: CheckFunds) {
    this.#ctx = ctx;
    this.#pacedExecutor = pacedExecutor;
    this.#callInside = callInside;
    this.#checkFunds = checkFunds;
    if (ctx.leases.isShared)
      this.#looksAtOthers = startRepeating(
        ctx.clock,
        CHECK_MS,
        () => this.#lookAtOthers(),
        (error) => ctx.log.error({ err: error }, 'the responses of other nodes could not be read'),
      );
  }

  /**
   * Cancels responses that were cancelled on other nodes, and at intervals ends those that other nodes left
   * unfinished.
   */
  async #lookAtOthers(): Promise<void> {
    const ctx = this.#ctx;
    for (const id of await findCancelledElsewhere(ctx, [...this.#running.keys()])) this.#running.get(id)?.stop.abort();
    this.#looks += 1;
    if (this.#looks % CHECKS_PER_SWEEP === 0) await failInterrupted(ctx, toArtifacts);
  }

  async begin(call: BackgroundCall): Promise<void> {
    if (this.#isStopped) throw new RelayError('gateway_stopping', INTERRUPTED);
    await this.#checkFunds(call);
    const running = await this.#note(call);
    const { id, fields, run, events } = running;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.start = resolve;
    running.done = promise.then(() => this.#go(running, call));
    this.#running.set(id, running);
    this.#begun.set(running.requestId, running);
    if (events === undefined) {
      call.client.send(200, 'application/json; charset=utf-8', await run(() => JSON.stringify(fields)));
      return;
    }
    for (const state of ['created', 'queued'])
      await run(() => events.add({ type: `response.${state}`, response: fields }));
    // The follower uses the concurrency slot of the generation.
    void events.follow(call.client, -1);
  }

  startGeneration(requestId: string): boolean {
    const running = this.#begun.get(requestId);
    this.#begun.delete(requestId);
    running?.start();
    return running !== undefined;
  }

  async cancel(userId: number, id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return cancelOnOtherNode(this.#ctx, userId, id);
    if (running.userId !== userId) return;
    running.stop.abort();
    await running.done;
  }

  streamEvents(userId: number, id: string, client: ClientResponse, after: number): Promise<void> | undefined {
    const running = this.#running.get(id);
    const events = running?.userId === userId ? running.events : this.#eventMemory.find(userId, id);
    return events?.isLost === true ? undefined : events?.follow(client, after);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async settled(): Promise<void> {
    await this.#looksAtOthers?.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Stores the new response; durable when it resolves. @throws RelayError */
  async #note({ principal: { user, key }, request, requestId }: BackgroundCall): Promise<RunningResponse> {
    const { json, facts } = request;
    const run: RunWork = (work) => runPaced(this.#pacedExecutor, user.id, request, work);
    const ctx = this.#ctx;
    checkStorable(ctx, json);
    checkModel(key, facts.model);
    const id = newTaskId('resp_');
    const input = toItemList(json['input']);
    const fields: Fields = {
      ...createResponseObject(json),
      id,
      created_at: nowSeconds(ctx.clock),
      model: facts.model,
      status: 'queued',
      background: true,
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
    };
    const previousId = getPreviousResponseId(request);
    const queued = { id, previousId, channelId: undefined, input, response: fields };
    if (!(await storeResponse(ctx, user.id, queued, { run })))
      throw new RelayError(
        'request_too_large',
        'The request is too large for a background response. Send less, or omit background.',
      );
    const lease = await acquireResponseLease(ctx, id);
    const stop = new AbortController();
    lease.lost.addEventListener('abort', () => stop.abort(), { once: true });
    await insertLocalTask(ctx, {
      id,
      request_id: requestId,
      user_id: user.id,
      api_key_id: key?.id ?? null,
      group_symbol: key?.group || user.group,
      client_format: 'openai-responses',
      action: 'response',
      model: facts.model,
      // Staff can see the prompt, so it is stored only after the content check.
      prompt: '',
    }).catch(async (error: unknown) => {
      await lease.release();
      throw error;
    });
    return {
      userId: user.id,
      id,
      requestId,
      fields,
      run,
      stop,
      lease,
      start: () => {},
      events: facts.stream ? this.#createEvents(user.id, lease) : undefined,
      done: Promise.resolve(),
    };
  }

  /** Never rejects. */
  async #go(running: RunningResponse, call: BackgroundCall): Promise<void> {
    const ctx = this.#ctx;
    try {
      const generated = await this.#make(running, call);
      // The response is charged, and its client can receive it in no other way.
      await retryStorage(ctx.clock, () => this.#end(running, generated));
    } catch (error) {
      ctx.log.error({ err: error, request_id: running.requestId }, 'a background response could not be stored');
      const failed = { ...running.fields, status: 'failed', error: INTERRUPTED_ERROR };
      running.events?.end({ type: 'response.failed', response: failed });
    } finally {
      call.acquired.slot.release(call.client);
      // Followers find the events at any time.
      if (running.events !== undefined) this.#eventMemory.keep(running.userId, running.id, running.events);
      this.#running.delete(running.id);
      await running.lease.release();
    }
  }

  async #recordModerated(running: RunningResponse, { json }: ClientRequest): Promise<void> {
    running.fields = { ...running.fields, status: 'in_progress' };
    const { userId, id, run } = running;
    await updateResponse(this.#ctx, userId, { ...running.fields, id }, { run });
    const prompt = lastInputText(toItemList(json['input'])).slice(0, PROMPT_MAX);
    await startLocalTask(this.#ctx, running.id, prompt);
  }

  async #make(
    running: RunningResponse,
    { address, identify, request, acquired }: BackgroundCall,
  ): Promise<GeneratedResponse> {
    const { background: _background, ...asked } = request.json;
    const held = new HeldBytes(acquired.slot, (refusal) => {
      throw refusal;
    });
    const collector = new ResponseCollector({
      id: running.id,
      events: running.events,
      runPaced: (work) => this.#pacedExecutor.run(running.userId, work),
      hold: (bytes) => held.set(bytes),
    });
    try {
      if (this.#isStopped) return { failure: { code: 'server_error', message: INTERRUPTED } };
      const answer = await this.#callInside({
        path: '/v1/responses',
        body: await running.run(() => Buffer.from(JSON.stringify(asked))),
        headers: request.headers,
        requestId: running.requestId,
        address,
        identify,
        acquired,
        storeAs: running.id,
        onChecked: (request) => this.#recordModerated(running, request),
        signal: running.stop.signal,
        ...(running.events === undefined ? {} : { onChunk: (piece: Buffer) => collector.addChunk(piece) }),
        audience: this.#observeClients(running),
      });
      return await collector.end(answer);
    } catch (error) {
      if (error instanceof RelayError) return { failure: { code: 'server_error', message: error.message } };
      if (!running.stop.signal.aborted)
        this.#ctx.log.error(
          { err: error, request_id: running.requestId },
          'a background response failed with an internal error',
        );
      return { failure: INTERRUPTED_ERROR };
    }
  }

  /** Events are in this node's memory, so that they are lost when it stops, or loses the response to another node. */
  #observeClients({ events, lease }: RunningResponse): Audience | undefined {
    if (events === undefined) return undefined;
    return { hasReceived: () => events.areReceived, canFetch: () => !this.#isStopped && !lease.lost.aborted };
  }

  async #end(running: RunningResponse, generated: GeneratedResponse): Promise<void> {
    const ctx = this.#ctx;
    const { id, userId, requestId } = running;
    const task = { id, request_id: requestId };
    const stored = await this.#findStored(userId, id);
    const isStored = stored !== undefined && isCompleted(stored);
    const response = isStored ? stored.response : await this.#storeLarge(running, generated);
    const strings = !isStored && 'strings' in generated ? generated.strings : undefined;
    if (response !== undefined) {
      const upstream = stored?.channelId !== undefined && 'fields' in generated && { upstreamId: generated.name };
      await endLocalTask(ctx, task, { works: toArtifacts(response, strings), ...upstream });
      const event = { type: `response.${textOf(response['status'])}`, response };
      if (strings === undefined || running.events === undefined) await running.run(() => running.events?.end(event));
      else await this.#pacedExecutor.run(userId, () => running.events?.end(event, strings));
      return;
    }
    const { failure, ...end } = describeFailure(running, generated);
    const fields = { ...running.fields, ...end, id };
    await updateResponse(ctx, userId, fields, { run: running.run });
    await endLocalTask(ctx, task, { failure });
    await running.run(() => running.events?.end({ type: `response.${fields.status}`, response: fields }));
  }

  /**
   * Stores a response that the request that generated it could not store: it was too large, or the storage was
   * unavailable. If necessary, the largest parts are left out.
   * @returns undefined if it cannot be stored
   */
  async #storeLarge(
    { userId, id, requestId }: RunningResponse,
    generated: GeneratedResponse,
  ): Promise<Fields | undefined> {
    if (!('fields' in generated) || !isCompleted({ response: generated.fields })) return undefined;
    if (!(await isResponseCharged(this.#ctx, requestId))) return undefined;
    const { fields, strings } = generated;
    const run = <T>(work: () => T): Promise<T> => this.#pacedExecutor.run(userId, work);
    const fitted = await run(() => shortenResponse({ ...fields, id }, BACKGROUND_BYTES_MAX, strings));
    if (fitted === undefined) return undefined;
    const response = { ...fitted, id };
    const json = await run(() => strings.attach(JSON.stringify(response)));
    return (await updateLargeResponse(this.#ctx, userId, { id, response: json })) ? response : undefined;
  }

  async #findStored(userId: number, id: string): Promise<StoredResponse | undefined> {
    const row = await readResponse(this.#ctx, userId, id);
    if (row === undefined) return undefined;
    const isLong = row.input.length + row.response.length >= LONG_BYTES;
    return isLong ? this.#pacedExecutor.run(userId, () => parseResponse(row)) : parseResponse(row);
  }

  #createEvents(userId: number, { lost }: Lease): ResponseEvents {
    return new ResponseEvents(this.#ctx.clock, (bytes) => this.#eventMemory.reserve(userId, bytes), lost);
  }
}

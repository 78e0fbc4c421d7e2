/**
 * An open session. Messages are forwarded both ways, each side is paused while the other is slow, and usage is
 * charged before the client receives its report.
 */

import {
  encodeStreamError,
  InvalidRequestError,
  isLongMessage,
  planClientEvent,
  readClientEvent,
  readEvent,
  redactEvent,
  type SessionMeter,
  type SessionUsage,
  type Target,
} from '@switchyard/relay';
import { isObject, objectOf, textOf } from '@switchyard/relay/json';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Clock, sleep, type Timer } from '../../platform/clock.ts';
import type { WebSocket } from '../../platform/outbound/web-socket.ts';
import { RelayError, type RelayErrorCode, toRelayError } from '../http/relay-error.ts';
import { UserMemoryError } from '../limits/memory-budget.ts';
import type { EventCheck } from '../pipeline/check-content.ts';
import type { Booked } from '../routing/find-channel-or-explain.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import type { Drain } from '../upstream/drain-after-disconnect.ts';
import type { RealtimeBilling } from './realtime-billing.ts';
import type { SessionTraffic, Side } from './realtime-rate-limit.ts';
import type { RealtimeRights } from './realtime-rights.ts';
import type { Message, RealtimeSockets } from './realtime-sockets.ts';

export interface SessionOptions {
  sockets: RealtimeSockets;
  /** Messages that the upstream has already sent. */
  initialMessages: readonly Message[];
  billing: RealtimeBilling;
  rights: RealtimeRights;
  booked: Booked;
  meter: SessionMeter;
  /** Model as the client named it. */
  model: string;
  target: Target;
  deadlines: Deadlines;
  clock: Clock;
  requestId: string;
  check: EventCheck;
  /** Runs long work in the paced executor. */
  runSpaced: <T>(work: () => T) => Promise<T>;
  rateLimit: SessionTraffic;
  /** Called before more is delivered. */
  confirmHolds: Ledger['confirmHolds'];
  /** Called when the session has ended for the client during a response. */
  startDrain: () => Drain;
  /** Called for each response that was begun and is not charged because of the user. */
  recordUnpaid: () => void;
}

export interface SessionEnd {
  outcome: 'left' | 'failed';
  /** Error by which the gateway or the upstream ended the session. */
  error: RelayError | undefined;
  /** Usage by model that unfinished responses and transcriptions have delivered. */
  pending: readonly SessionUsage[];
}

type Ending = Omit<SessionEnd, 'pending'>;

const CHECK_MS = 1_000;
const PING_MS = 20_000;
const IDLE_MS = 5 * 60_000;
const SESSION_MAX_MS = 60 * 60_000;

/** Close codes. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const UPSTREAM_FAILED = 1011;

/** Errors after which nothing more is read of the upstream. */
const abortCodes: ReadonlySet<RelayErrorCode> = new Set(['overloaded', 'upstream_error']);

/** Events of the upstream that are read after the end of the session for the client. */
const drainedTypes: ReadonlySet<unknown> = new Set(['response.created', 'response.done', 'error']);

/** Errors that the gateway, its operator or the upstream has caused. */
const faultsOfOthers: ReadonlySet<RelayErrorCode> = new Set([
  'channel_cap_reached',
  'gateway_stopping',
  'no_available_channel',
  'overloaded',
  'server_error',
  'session_expired',
  'storage_unavailable',
  'upstream_error',
]);

export class RealtimeSession {
  /** Resolves when the session has ended on both sides. */
  readonly done: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #startedAt: number;
  #resolve: (end: SessionEnd) => void = () => {};
  /** Set when the session has ended for the client; the upstream may still have to report. */
  #ending: Ending | undefined;
  #isOver = false;
  #drain: Drain | undefined;
  #drainTimer: Timer | undefined;
  readonly #fromClient: RealtimeQueue;
  readonly #fromUpstream: RealtimeQueue;
  #upstreamClosed: { code: number; reason: string } | undefined;
  #lastMessageAt: number;
  #pingedAt: number;
  readonly #stopLooking: () => void;

  constructor(options: SessionOptions) {
    const { sockets, initialMessages, deadlines, clock } = options;
    const { client, upstream } = sockets;
    this.#options = options;
    this.#startedAt = clock.elapsed();
    this.#lastMessageAt = this.#startedAt;
    this.#pingedAt = this.#startedAt;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#fromClient = new RealtimeQueue((message) => this.#toUpstream(message));
    this.#fromUpstream = new RealtimeQueue(
      (message) => this.#toClient(message),
      () => this.#followUpstream(),
    );
    for (const message of initialMessages) this.#fromUpstream.add(message);
    client.on('message', (data, isBinary) => this.#fromClient.add({ data, isBinary }));
    upstream.on('message', (data, isBinary) => this.#fromUpstream.add({ data, isBinary }));
    this.#bound(client, 'client');
    this.#bound(upstream, 'upstream');
    client.on('close', () => this.#leave({ outcome: 'left', error: undefined }));
    upstream.on('close', (code, reason) => {
      this.#upstreamClosed = { code, reason: reason.toString('utf8') };
      if (!this.#fromUpstream.isBusy) this.#followUpstream();
    });
    this.#stopLooking = deadlines.repeat(CHECK_MS, () => {
      this.#look();
      return CHECK_MS;
    });
    sockets.updateFlow();
  }

  /** Limits the message rate of a side; messages, pings and pongs count alike. */
  #bound(socket: WebSocket, side: Side): void {
    const { sockets, rateLimit, clock } = this.#options;
    let isSlowed = false;
    const slow = async (waitMs: number): Promise<void> => {
      isSlowed = true;
      await sockets.pauseWhile(socket, sleep(clock, waitMs));
      isSlowed = false;
    };
    const count = (): void => {
      const waitMs = rateLimit.count(side);
      if (waitMs > 0 && !isSlowed && !this.#isOver) void slow(waitMs);
    };
    socket.on('message', count);
    socket.on('ping', count);
    socket.on('pong', count);
  }

  /** Ends the session with an error event. @param mustAbort true: without a wait for the upstream's reports */
  stop(error: RelayError, mustAbort = abortCodes.has(error.code)): void {
    const code = error.code === 'gateway_stopping' ? GOING_AWAY : POLICY;
    this.#leave({ outcome: 'failed', error }, error.code === 'upstream_error' ? UPSTREAM_FAILED : code, mustAbort);
  }

  async #toUpstream(message: Message): Promise<void> {
    if (this.#ending !== undefined) return;
    const { sockets, billing, rights, meter, model, target, clock, check } = this.#options;
    this.#lastMessageAt = clock.elapsed();
    try {
      const paced = this.#paceWork(message, sockets.client);
      const received = await paced(() => readClientEvent(message.data));
      const checking = check(received, paced);
      const event = checking === undefined ? received : await sockets.pauseWhile(sockets.client, checking);
      if (this.#ending !== undefined) return;
      const text = await paced(() => {
        const planned = planClientEvent(event, model, target.model);
        for (const transcriber of planned.transcribers) rights.checkModel(transcriber);
        meter.recordClientEvent(event);
        return planned.text;
      });
      const raised = billing.expect(meter.unbilledInput(), meter.parallelResponses());
      const refusal = raised && (await sockets.pauseWhile(sockets.client, raised));
      if (refusal !== undefined) return this.stop(refusal);
      // The client may have left meanwhile.
      if (this.#ending !== undefined) return;
      meter.recordForwarded();
      sockets.send(sockets.upstream, text);
    } catch (error) {
      this.stop(toRelayError(error));
    }
  }

  async #toClient(message: Message): Promise<void> {
    await this.#whileUpstreamWaits(this.#options.confirmHolds());
    if (this.#isOver) return;
    const { sockets, billing, rights, meter, target, clock } = this.#options;
    this.#lastMessageAt = clock.elapsed();
    try {
      const paced = this.#paceWork(message, sockets.upstream);
      const event = await paced(() => readEvent(message.data));
      const type = isObject(event) ? event['type'] : undefined;
      // Other content is not delivered any more, so that an estimate must not count it.
      if (this.#ending !== undefined && !drainedTypes.has(type)) return;
      const open = meter.open;
      const metered = await paced(() => meter.meterUpstreamEvent(event));
      const isBegun = type === 'response.created';
      const response = objectOf(objectOf(event)['response']);
      if (isBegun && this.#drain !== undefined) this.#cancel([textOf(response['id']) ?? '']);
      if (response['status'] === 'cancelled' && metered === undefined && meter.open < open) this.#recordUnpaid(1);
      const limited = isBegun ? rights.beginResponse() : metered && rights.recordUsage(metered.usage);
      const charged =
        metered && billing.charge(metered, this.#ending?.outcome, () => meter.parallelResponses()).catch(toRelayError);
      const notAllowed = await this.#whileUpstreamWaits(limited);
      const notPaid = await this.#whileUpstreamWaits(charged);
      if (!isBegun || notAllowed === undefined)
        sockets.forward(sockets.client, message, await paced(() => redactEvent(event, target)));
      const refusal = notPaid ?? notAllowed;
      if (refusal !== undefined) this.stop(refusal);
      if (this.#ending !== undefined && meter.open === 0) this.#end(this.#ending);
    } catch (error) {
      this.stop(error instanceof InvalidRequestError ? toUnreadableError(error) : toRelayError(error));
    }
  }

  /** Returns a function that runs work on a message: at once, or paced while the sender of a long message waits. */
  #paceWork({ data }: Message, sender: WebSocket): <T>(work: () => T) => T | Promise<T> {
    const { sockets, runSpaced } = this.#options;
    const isLong = isLongMessage(data);
    return (work) => (isLong ? sockets.pauseWhile(sender, runSpaced(work)) : work());
  }

  /** Pauses the upstream until the work is done, because its messages would queue without a limit. */
  async #whileUpstreamWaits<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    const { sockets } = this.#options;
    return work && sockets.pauseWhile(sockets.upstream, work);
  }

  #look(): void {
    const { sockets, meter, clock, rights, booked, rateLimit } = this.#options;
    const now = clock.elapsed();
    const error =
      rights.checkRights(booked) ??
      rateLimit.checkRate() ??
      findTimeout(now - this.#startedAt, now - this.#lastMessageAt);
    if (error !== undefined) return this.stop(error);
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      sockets.ping();
    }
    const pending = meter.pendingUsage();
    if (pending.length === 0) return;
    void this.#note(pending);
  }

  async #note(pending: readonly SessionUsage[]): Promise<void> {
    const refusal = await this.#options.billing.recordProgress(pending).catch(toRelayError);
    if (refusal !== undefined) this.stop(refusal);
  }

  /** Ends the session after the upstream has closed it, once all its messages have been forwarded. */
  #followUpstream(): void {
    if (this.#upstreamClosed === undefined) return;
    const { code, reason } = this.#upstreamClosed;
    if (code === NORMAL || code === 1005) return this.#leave({ outcome: 'failed', error: undefined }, NORMAL, true);
    const closeCode = reason === '' ? '' : ` Close code: ${code}.`;
    const error = new RelayError('upstream_error', `The upstream ended the session.${closeCode} Open a new session.`);
    this.stop(error);
  }

  /**
   * Ends the session for the client. The upstream stays open for a limited time until it has reported all responses,
   * also those of which the client has received nothing. Otherwise, prompts and hidden reasoning would be free.
   */
  #leave(ending: Ending, code = NORMAL, mustAbort = false): void {
    const { sockets, meter, requestId } = this.#options;
    const { error } = ending;
    if (this.#ending === undefined) {
      this.#ending = ending;
      if (error !== undefined) sockets.send(sockets.client, encodeErrorEvent(error, requestId));
      sockets.closeClient(code, error?.code ?? '');
      if (!mustAbort && meter.open > 0) return this.#drainResponses(ending);
    } else if (!mustAbort) return;
    this.#end(this.#ending);
  }

  #drainResponses(ending: Ending): void {
    const { meter, clock, startDrain } = this.#options;
    this.#drain = startDrain();
    this.#drainTimer = clock.after(this.#drain.ms, () => this.#end(ending));
    this.#cancel(meter.running);
  }

  /**
   * Cancels running responses, so that `response.done` reports them at once.
   * https://platform.openai.com/docs/api-reference/realtime-client-events/response/cancel
   */
  #cancel(ids: readonly string[]): void {
    const { sockets } = this.#options;
    for (const id of ids) {
      const cancel = { type: 'response.cancel', ...(id !== '' && { response_id: id }) };
      sockets.send(sockets.upstream, JSON.stringify(cancel));
    }
  }

  /** Counts responses that the vendor may bill and the user has not paid for. */
  #recordUnpaid(responses: number): void {
    if (this.#ending !== undefined && !isUsersDoing(this.#ending)) return;
    for (let nth = 0; nth < responses; nth += 1) this.#options.recordUnpaid();
  }

  #end(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopLooking();
    this.#drainTimer?.close();
    this.#drain?.end();
    const { sockets, meter } = this.#options;
    sockets.closeUpstream();
    this.#recordUnpaid(meter.undelivered);
    this.#resolve({ ...ending, pending: meter.pendingUsage() });
  }
}

/** Returns whether the user has ended the session: by leaving, or at a limit, without money or without a right. */
function isUsersDoing({ outcome, error }: Ending): boolean {
  if (outcome === 'left' || error instanceof UserMemoryError) return true;
  return error !== undefined && !faultsOfOthers.has(error.code);
}

function findTimeout(lastedMs: number, silentMs: number): RelayError | undefined {
  if (lastedMs >= SESSION_MAX_MS)
    return new RelayError(
      'session_expired',
      'The session reached its maximum duration of 60 minutes. Open a new session.',
    );
  if (silentMs < IDLE_MS) return undefined;
  return new RelayError('session_expired', 'The session was idle for 5 minutes. Open a new session.');
}

function toUnreadableError(cause: InvalidRequestError): RelayError {
  return new RelayError('upstream_error', 'The upstream sent an invalid message. Open a new session.', { cause });
}

function encodeErrorEvent({ status, message, code }: RelayError, requestId: string): string {
  const detail = { status, code, message: `${message} (request id: ${requestId})` };
  return encodeStreamError({ format: 'openai-realtime', framing: 'bytes' }, detail);
}

/** Queue of one side's messages; they are handled one at a time, in order. */

class RealtimeQueue {
  /** True while a message is handled. */
  isBusy = false;
  readonly #waiting: Message[] = [];
  readonly #handle: (message: Message) => Promise<void>;
  readonly #whenEmpty: () => void;

  /** @param handle never rejects */
  constructor(handle: (message: Message) => Promise<void>, whenEmpty: () => void = () => {}) {
    this.#handle = handle;
    this.#whenEmpty = whenEmpty;
  }

  add(message: Message): void {
    this.#waiting.push(message);
    if (!this.isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await this.#handle(next);
    this.isBusy = false;
    this.#whenEmpty();
  }
}

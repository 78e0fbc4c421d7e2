/**
 * An open session. Messages are forwarded both ways, each side is paused while the other is slow, and usage is
 * charged before the client receives its report.
 */

import {
  encodeStreamError,
  InvalidRequestError,
  planClientEvent,
  readEvent,
  redactEvent,
  type SessionMeter,
  type SessionUsage,
  type Target,
} from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { WebSocket } from '../../platform/outbound/web-socket.ts';
import { RelayError, toRelayError } from '../http/relay-error.ts';
import type { Booked } from '../routing/find-channel.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
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
  /** Function that returns the event to forward in place of a client's event. Absent if nothing is checked. */
  check: ((event: unknown) => unknown) | undefined;
  rateLimit: SessionTraffic;
  /** Called before more is delivered. */
  confirmHolds: Ledger['confirmHolds'];
}

export interface SessionEnd {
  outcome: 'left' | 'failed';
  /** Error by which the gateway or the upstream ended the session. */
  error: RelayError | undefined;
  /** Usage by model that unfinished responses and transcriptions have delivered. */
  pending: readonly SessionUsage[];
}

const CHECK_MS = 1_000;
const PING_MS = 20_000;
const IDLE_MS = 5 * 60_000;
const SESSION_MAX_MS = 60 * 60_000;

/** Close codes. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const UPSTREAM_FAILED = 1011;

export class RealtimeSession {
  /** Resolves when no more messages are forwarded. */
  readonly done: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #startedAt: number;
  #resolve: (end: SessionEnd) => void = () => {};
  #isOver = false;
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
    client.on('close', () => this.#end('left'));
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

  /** Ends the session with an error event. */
  stop(error: RelayError): void {
    const code = error.code === 'gateway_stopping' ? GOING_AWAY : POLICY;
    this.#end('failed', error, error.code === 'upstream_error' ? UPSTREAM_FAILED : code);
  }

  async #toUpstream(message: Message): Promise<void> {
    if (this.#isOver) return;
    const { sockets, billing, rights, meter, model, target, clock, check } = this.#options;
    this.#lastMessageAt = clock.elapsed();
    try {
      const received = readEvent(message.data);
      const event = check === undefined ? received : check(received);
      const { text, transcribers } = planClientEvent(event, model, target.model);
      for (const transcriber of transcribers) rights.checkModel(transcriber);
      meter.recordClientEvent(event);
      const raised = billing.expect(meter.unbilledInput());
      const refusal = raised && (await sockets.pauseWhile(sockets.client, raised));
      if (refusal !== undefined) return this.stop(refusal);
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
      const event = readEvent(message.data);
      const metered = meter.meterUpstreamEvent(event);
      const isBegun = isObject(event) && event['type'] === 'response.created';
      const limited = isBegun ? rights.beginResponse() : metered && rights.recordUsage(metered.usage);
      const charged = metered && billing.charge(metered).catch(toRelayError);
      const notAllowed = await this.#whileUpstreamWaits(limited);
      const notPaid = await this.#whileUpstreamWaits(charged);
      if (!isBegun || notAllowed === undefined) sockets.forward(sockets.client, message, redactEvent(event, target));
      const refusal = notPaid ?? notAllowed;
      if (refusal !== undefined) this.stop(refusal);
    } catch (error) {
      this.stop(error instanceof InvalidRequestError ? toUnreadableError(error) : toRelayError(error));
    }
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
    if (code === NORMAL || code === 1005) return this.#end('failed', undefined, NORMAL);
    const closeCode = reason === '' ? '' : ` Close code: ${code}.`;
    const error = new RelayError('upstream_error', `The upstream ended the session.${closeCode} Open a new session.`);
    this.#end('failed', error, UPSTREAM_FAILED);
  }

  #end(outcome: SessionEnd['outcome'], error?: RelayError, code = NORMAL): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopLooking();
    const { sockets, meter, requestId } = this.#options;
    if (error !== undefined) sockets.send(sockets.client, encodeErrorEvent(error, requestId));
    sockets.close(code, error?.code ?? '');
    this.#resolve({ outcome, error, pending: meter.pendingUsage() });
  }
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

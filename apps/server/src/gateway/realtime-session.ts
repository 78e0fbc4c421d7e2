/**
 * An open session: messages go both ways as they are, each side waits for the other when that is slow, and what the
 * upstream bills is charged before the client hears of it.
 */
import {
  encodeStreamError,
  parseJson,
  type SessionMeter,
  type Target,
  type Usage,
  withoutSecrets,
} from '@switchyard/relay';
import type { Clock } from '../platform/clock.ts';
import type { Deadlines } from './deadlines.ts';
import type { RealtimeBooks } from './realtime-books.ts';
import type { Message, RealtimeSides } from './realtime-sides.ts';
import { RelayError, relayErrorOf } from './relay-error.ts';

export interface SessionOptions {
  sides: RealtimeSides;
  books: RealtimeBooks;
  meter: SessionMeter;
  target: Target;
  deadlines: Deadlines;
  clock: Clock;
  requestId: string;
  /** Asked every second. @returns why the session has to end */
  objection: () => RelayError | undefined;
}

export interface SessionEnd {
  outcome: 'left' | 'failed';
  /** Why the gateway, or the upstream, ended it. */
  error: RelayError | undefined;
  pending: Usage | undefined;
}

const LOOK_MS = 1_000;
const PING_MS = 20_000;
const IDLE_MS = 5 * 60_000;
const LONGEST_MS = 60 * 60_000;

/** Close codes. https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const UPSTREAM_FAILED = 1011;

export class RealtimeSession {
  /** Resolves when nothing more goes either way. */
  readonly done: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #startedAt: number;
  #resolve: (end: SessionEnd) => void = () => {};
  #isOver = false;
  readonly #arrived: Message[] = [];
  #isCharging = false;
  #upstreamClosed: { code: number; reason: string } | undefined;
  #lastMessageAt: number;
  #pingedAt: number;
  readonly #stopLooking: () => void;

  constructor(options: SessionOptions) {
    const { sides, deadlines, clock } = options;
    const { client, upstream } = sides;
    this.#options = options;
    this.#startedAt = clock.elapsed();
    this.#lastMessageAt = this.#startedAt;
    this.#pingedAt = this.#startedAt;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    client.on('message', (data, isBinary) => this.#fromClient({ data, isBinary }));
    upstream.on('message', (data, isBinary) => this.#fromUpstream({ data, isBinary }));
    client.on('close', () => this.#end('left'));
    upstream.on('close', (code, reason) => {
      this.#upstreamClosed = { code, reason: reason.toString('utf8') };
      if (!this.#isCharging) this.#followUpstream();
    });
    this.#stopLooking = deadlines.repeat(LOOK_MS, () => {
      this.#look();
      return LOOK_MS;
    });
    sides.flow();
  }

  /** Ends the session with an error event. */
  stop(error: RelayError): void {
    const code = error.code === 'gateway_stopping' ? GOING_AWAY : POLICY;
    this.#end('failed', error, error.code === 'upstream_error' ? UPSTREAM_FAILED : code);
  }

  #fromClient(message: Message): void {
    if (this.#isOver) return;
    const { sides, meter, clock } = this.#options;
    this.#lastMessageAt = clock.elapsed();
    meter.clientSaid(parseJson(message.data.toString('utf8')));
    sides.pass(sides.upstream, message);
  }

  #fromUpstream(message: Message): void {
    if (this.#isOver) return;
    this.#lastMessageAt = this.#options.clock.elapsed();
    this.#arrived.push(message);
    if (!this.#isCharging) void this.#passArrived();
  }

  /** In the order in which they came, also while one of them is being charged. */
  async #passArrived(): Promise<void> {
    const { sides, books, meter, target } = this.#options;
    this.#isCharging = true;
    let message = this.#arrived.shift();
    while (message !== undefined && !this.#isOver) {
      const event = parseJson(message.data.toString('utf8'));
      const metered = meter.upstreamSaid(event);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      const refusal = metered && (await sides.whileUpstreamWaits(books.charge(metered).catch(relayErrorOf)));
      const clean = withoutSecrets(event, target);
      sides.pass(sides.client, clean === undefined ? message : { data: clean, isBinary: false });
      if (refusal !== undefined) this.stop(refusal);
      message = this.#arrived.shift();
    }
    this.#isCharging = false;
    if (this.#upstreamClosed !== undefined) this.#followUpstream();
  }

  #look(): void {
    const { sides, meter, clock, objection } = this.#options;
    const now = clock.elapsed();
    const error = objection() ?? tooLong(now - this.#startedAt, now - this.#lastMessageAt);
    if (error !== undefined) return this.stop(error);
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      sides.ping();
    }
    const pending = meter.pending();
    if (pending === undefined || this.#isCharging) return;
    void this.#note(pending);
  }

  async #note(pending: Usage): Promise<void> {
    const refusal = await this.#options.books.note(pending).catch(relayErrorOf);
    if (refusal !== undefined) this.stop(refusal);
  }

  #followUpstream(): void {
    const { code, reason } = this.#upstreamClosed ?? { code: NORMAL, reason: '' };
    if (code === NORMAL || code === 1005) return this.#end('failed', undefined, NORMAL);
    const said = reason === '' ? '' : ` It said ${code}.`;
    const error = new RelayError('upstream_error', `The upstream ended the session.${said}`);
    this.#end('failed', error, UPSTREAM_FAILED);
  }

  #end(outcome: SessionEnd['outcome'], error?: RelayError, code = NORMAL): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopLooking();
    const { sides, meter, requestId } = this.#options;
    if (error !== undefined)
      sides.pass(sides.client, { data: errorEvent(error, requestId), isBinary: false });
    sides.close(code, error?.code ?? '');
    this.#resolve({ outcome, error, pending: meter.pending() });
  }
}

function tooLong(lastedMs: number, silentMs: number): RelayError | undefined {
  if (lastedMs >= LONGEST_MS) return new RelayError('session_expired', 'A session lasts at most 60 minutes.');
  if (silentMs < IDLE_MS) return undefined;
  return new RelayError('session_expired', 'Nothing was said for 5 minutes.');
}

function errorEvent({ status, message, code }: RelayError, requestId: string): string {
  const detail = { status, code, message: `${message} (request id: ${requestId})` };
  return encodeStreamError({ format: 'openai-realtime', framing: 'bytes' }, detail);
}

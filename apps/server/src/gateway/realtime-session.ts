/**
 * An open session: messages go both ways as they are, each side waits for the other when that is slow, and what the
 * upstream bills is charged before the client hears of it.
 */
import {
  encodeStreamError,
  parseJson,
  SessionMeter,
  type Target,
  type Usage,
  withoutSecrets,
} from '@switchyard/relay';
import type { Clock } from '../platform/clock.ts';
import type { WebSocket } from '../platform/web-socket.ts';
import type { Deadlines } from './deadlines.ts';
import type { RealtimeBooks } from './realtime-books.ts';
import { RelayError, relayErrorOf } from './relay-error.ts';

export interface SessionOptions {
  client: WebSocket;
  upstream: WebSocket;
  books: RealtimeBooks;
  meter: SessionMeter;
  target: Target;
  deadlines: Deadlines;
  clock: Clock;
  requestId: string;
  /** Asked every second. @returns why the session has to end */
  objection(): RelayError | undefined;
}

export interface SessionEnd {
  outcome: 'left' | 'failed';
  /** Why the gateway, or the upstream, ended it. */
  error: RelayError | undefined;
  pending: Usage | undefined;
}

interface Message {
  data: Buffer;
  isBinary: boolean;
}

/** Above this many unsent bytes of one side the other one is not read. */
const BUFFER_MAX_BYTES = 262_144;
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
  readonly #silent = new Set<WebSocket>();
  readonly #stopLooking: () => void;

  constructor(options: SessionOptions) {
    const { client, upstream, deadlines, clock } = options;
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
    for (const side of [client, upstream]) {
      side.on('pong', () => this.#silent.delete(side));
      // The close that follows says it all.
      side.on('error', () => {});
    }
    this.#stopLooking = deadlines.repeat(LOOK_MS, () => {
      this.#look();
      return LOOK_MS;
    });
    // Both were paused, so that nothing was lost that came before.
    this.#waitForSlow();
  }

  /** Ends the session with an error event. */
  stop(error: RelayError): void {
    const code = error.code === 'gateway_stopping' ? GOING_AWAY : POLICY;
    this.#end('failed', error, error.code === 'upstream_error' ? UPSTREAM_FAILED : code);
  }

  #fromClient(message: Message): void {
    if (this.#isOver) return;
    const { client, upstream, meter } = this.#options;
    this.#heard(client);
    meter.clientSaid(parseJson(message.data.toString('utf8')));
    this.#pass(upstream, message);
  }

  #fromUpstream(message: Message): void {
    if (this.#isOver) return;
    this.#heard(this.#options.upstream);
    this.#arrived.push(message);
    if (!this.#isCharging) void this.#passArrived();
  }

  /** In the order in which they came, also while one of them is being charged. */
  async #passArrived(): Promise<void> {
    const { client, books, meter, target } = this.#options;
    this.#isCharging = true;
    let message = this.#arrived.shift();
    while (message !== undefined && !this.#isOver) {
      const event = parseJson(message.data.toString('utf8'));
      const metered = meter.upstreamSaid(event);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      const refusal = metered && (await this.#whilePaused(() => books.charge(metered)));
      const clean = withoutSecrets(event, target);
      this.#pass(client, clean === undefined ? message : { data: Buffer.from(clean), isBinary: false });
      if (refusal !== undefined) this.stop(refusal);
      message = this.#arrived.shift();
    }
    this.#isCharging = false;
    if (this.#upstreamClosed !== undefined) this.#followUpstream();
  }

  async #whilePaused(work: () => Promise<RelayError | undefined>): Promise<RelayError | undefined> {
    const { upstream } = this.#options;
    upstream.pause();
    const refusal = await work().catch(relayErrorOf);
    this.#waitForSlow();
    return refusal;
  }

  #pass(to: WebSocket, { data, isBinary }: Message): void {
    if (to.readyState !== 1) return;
    to.send(data, { binary: isBinary }, () => this.#waitForSlow());
    this.#waitForSlow();
  }

  /** Each side is read as long as the other one takes what it says. */
  #waitForSlow(): void {
    const { client, upstream } = this.#options;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const isSlow = to.bufferedAmount > BUFFER_MAX_BYTES;
      if (isSlow && !from.isPaused) from.pause();
      else if (!isSlow && from.isPaused) {
        this.#silent.delete(from);
        from.resume();
      }
    }
  }

  #heard(side: WebSocket): void {
    this.#silent.delete(side);
    this.#lastMessageAt = this.#options.clock.elapsed();
  }

  #look(): void {
    const { books, meter, clock, objection } = this.#options;
    const now = clock.elapsed();
    const error = objection() ?? tooLong(now - this.#startedAt, now - this.#lastMessageAt);
    if (error !== undefined) return this.stop(error);
    if (now - this.#pingedAt >= PING_MS) this.#ping(now);
    const pending = meter.pending();
    if (pending === undefined || this.#isCharging) return;
    books
      .note(pending)
      .catch(relayErrorOf)
      .then((refusal) => refusal && this.stop(refusal));
  }

  /** Whoever did not answer the last ping is gone; of a side that waits for the other one nothing is heard. */
  #ping(now: number): void {
    this.#pingedAt = now;
    const { client, upstream } = this.#options;
    for (const side of [client, upstream]) {
      if (side.isPaused || side.readyState !== 1) continue;
      if (this.#silent.has(side)) side.terminate();
      else {
        this.#silent.add(side);
        side.ping();
      }
    }
  }

  #followUpstream(): void {
    const { code, reason } = this.#upstreamClosed ?? { code: NORMAL, reason: '' };
    if (code === NORMAL || code === 1005) return this.#end('failed', undefined, NORMAL);
    this.#options.upstream.terminate();
    const said = reason === '' ? '' : ` It said ${code}.`;
    const error = new RelayError('upstream_error', `The upstream ended the session.${said}`);
    this.#end('failed', error, UPSTREAM_FAILED);
  }

  #end(outcome: SessionEnd['outcome'], error?: RelayError, code = NORMAL): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopLooking();
    const { client, upstream, meter } = this.#options;
    if (error !== undefined && client.readyState === 1)
      client.send(errorEvent(error, this.#options.requestId));
    // Nobody takes what they still say, but their close frames are waited for.
    client.close(code, error?.code ?? '');
    upstream.close(NORMAL);
    for (const side of [client, upstream]) side.resume();
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

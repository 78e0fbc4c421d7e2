/**
 * Connection to Redis that never blocks: a late response counts as none, and after failures no further command is
 * sent until Redis responds again in the background.
 */
import { createClient } from '@redis/client';
import type { Timer, Timers } from '../clock.ts';
import { newRequestId } from '../http/request-id.ts';
import { getErrorMessage, type Log } from '../log.ts';

export interface RedisConnectionOptions {
  url: string;
  log: Log;
  timers: Timers;
  /** Maximum milliseconds of a response. */
  deadlineMs: number;
  /** Milliseconds of silence after which a node counts as dead. */
  leaseMs: number;
  scripts: readonly string[];
  /** Prefix of the lease keys; the node's name follows. */
  leaseKeyPrefix: string;
  /** Called when the lease is new, or had been lost; what this node reported before is gone. */
  onLease(): void;
  /** Name of the channel on which other nodes publish. */
  channel: string;
  onMessage(message: string): void;
  /** Called when the subscription begins; earlier messages were not received. */
  onSubscribed(): void;
}

/** Number of renewals within the duration of a lease. */
const RENEWALS_PER_LEASE = 3;
const CONNECT_MS = 5_000;
const RETRY_MS = 1_000;
const RECONNECT_MAX_MS = 5_000;
/** Number of consecutive failures after which no further command is sent. */
const FAILURES_MAX = 3;
const START_MS = 1_000;

const LATE = Symbol('late');

export class RedisConnection {
  /** True while commands are sent to Redis. */
  isUp = false;
  /**
   * Name of this node for the others. It changes with each lease, since what was published under the last one may no
   * longer be valid.
   */
  node = newRequestId();
  readonly #options: RedisConnectionOptions;
  readonly #client;
  readonly #listener;
  #hashes = new Map<string, string>();
  #failures = 0;
  #isTold = false;
  #timer: Timer | undefined;
  #listenRetry: Timer | undefined;
  #isClosed = false;
  /**
   * True during a probe. Only one runs at a time while Redis does not respond, so that a dead connection becomes idle
   * and is closed by its timeout.
   */
  #isProbing = false;

  constructor(options: RedisConnectionOptions) {
    const { url, leaseMs } = options;
    const socket = {
      connectTimeout: CONNECT_MS,
      socketTimeout: leaseMs,
      reconnectStrategy: (retries: number) => Math.min(100 * 2 ** retries, RECONNECT_MAX_MS),
    };
    const common = { url, socket, disableOfflineQueue: true, disableClientInfo: true } as const;
    this.#options = options;
    this.#client = createClient({ ...common, maintNotifications: 'disabled' });
    this.#listener = createClient({
      ...common,
      maintNotifications: 'disabled',
      pingInterval: leaseMs / RENEWALS_PER_LEASE,
    });
    this.#client.on('error', (error: unknown) => this.#goAlone(error));
    // Its errors are those of the other client, which logs them.
    this.#listener.on('error', () => {});
    this.#listener.on('ready', () => this.#options.onSubscribed());
  }

  /** Starts the connection. Does not fail when Redis is unreachable. */
  async start(): Promise<void> {
    const connected = this.#client.connect().catch((error: unknown) => this.#goAlone(error));
    void this.#listen();
    await withTimeout(this.#options.timers, connected, START_MS);
    await this.#renew();
    if (!this.isUp) this.#goAlone(new Error('no response'));
  }

  /** Runs a script. @returns undefined without a response */
  async run(
    script: string,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<readonly unknown[] | undefined> {
    const hash = this.#hashes.get(script);
    if (!this.isUp || hash === undefined) return undefined;
    const answer = await this.#ask(['EVALSHA', hash, String(keys.length), ...keys, ...values]);
    return Array.isArray(answer) ? answer : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.close();
    this.#listenRetry?.close();
    if (this.isUp) await this.#ask(['DEL', this.#leaseKey]);
    this.isUp = false;
    for (const client of [this.#client, this.#listener]) client.destroy();
  }

  /** @returns undefined without a response in time */
  async #ask(command: readonly string[]): Promise<unknown> {
    try {
      const answer = await withTimeout(
        this.#options.timers,
        this.#client.sendCommand(command),
        this.#options.deadlineMs,
      );
      if (answer === LATE) throw new Error(`Redis did not respond within ${this.#options.deadlineMs} ms`);
      this.#failures = 0;
      return answer ?? '';
    } catch (error) {
      this.#failures += 1;
      const isOver = !this.#client.isReady || this.#failures >= FAILURES_MAX || isScriptError(error);
      if (isOver) this.#goAlone(error);
      return undefined;
    }
  }

  get #leaseKey(): string {
    return this.#options.leaseKeyPrefix + this.node;
  }

  #goAlone(error: unknown): void {
    if (this.#isClosed) return;
    if (!this.#isTold)
      this.#options.log.warn(
        { reason: getErrorMessage(error) },
        'Redis does not respond: this node enforces its limits alone until it does',
      );
    this.#isTold = true;
    if (this.isUp) this.#renewIn(RETRY_MS);
    this.isUp = false;
  }

  #renewIn(ms: number): void {
    this.#timer?.close();
    if (this.#isClosed) return;
    this.#timer = this.#options.timers.after(ms, () => void this.#renew()).unref();
  }

  /** Renews this node's lease, or checks whether Redis is available again. */
  async #renew(): Promise<void> {
    if (this.#client.isReady) await (this.isUp ? this.#renewLease() : this.#comeUp());
    this.#renewIn(this.isUp ? this.#options.leaseMs / RENEWALS_PER_LEASE : RETRY_MS);
  }

  async #renewLease(): Promise<void> {
    const renewed = await this.#ask(['SET', this.#leaseKey, '1', 'PX', String(this.#options.leaseMs), 'XX']);
    if (renewed === '' && this.isUp) await this.#takeLease();
  }

  async #comeUp(): Promise<void> {
    if (this.#isProbing) return;
    const { scripts, log, timers, deadlineMs } = this.#options;
    this.#isProbing = true;
    const probe = this.#client.sendCommand(['PING']).then(
      () => true,
      () => false,
    );
    void probe.finally(() => {
      this.#isProbing = false;
    });
    if ((await withTimeout(timers, probe, deadlineMs)) !== true) return;
    const hashes = await Promise.all(scripts.map((script) => this.#ask(['SCRIPT', 'LOAD', script])));
    this.#hashes = new Map(scripts.map((script, index) => [script, String(hashes[index])]));
    if (hashes.includes(undefined) || !(await this.#takeLease())) return;
    if (this.#isTold) log.info('Redis responds: limits are shared again');
    this.#isTold = false;
  }

  async #takeLease(): Promise<boolean> {
    const old = this.#leaseKey;
    this.node = newRequestId();
    const lease = ['SET', this.#leaseKey, '1', 'PX', String(this.#options.leaseMs)];
    const answers = await Promise.all([this.#ask(['DEL', old]), this.#ask(lease)]);
    this.isUp = !answers.includes(undefined) && !this.#isClosed;
    if (this.isUp) this.#options.onLease();
    return this.isUp;
  }

  readonly #receive = (message: string): void => this.#options.onMessage(message);

  /** Subscribes; tries again until it succeeds. From then on the client subscribes on each new connection itself. */
  async #listen(isRetry = false): Promise<void> {
    try {
      if (!this.#listener.isOpen) await this.#listener.connect();
      await this.#listener.subscribe(this.#options.channel, this.#receive);
      this.#options.onSubscribed();
    } catch (error) {
      if (this.#isClosed) return;
      if (!isRetry) this.#options.log.warn({ err: error }, 'messages of other nodes cannot be received yet');
      this.#listenRetry = this.#options.timers.after(RETRY_MS, () => void this.#listen(true)).unref();
    }
  }
}

/** Returns whether Redis cannot run the command: it has lost the scripts, or is read-only. */
function isScriptError(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]+ /.test(error.message);
}

/**
 * Resolves with the result, or with `LATE`. A response that arrived while this process was busy is still read before
 * the timeout.
 */
async function withTimeout<T>(timers: Timers, work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: Timer | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = timers.after(ms, () => setImmediate(() => resolve(LATE)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.close();
  }
}

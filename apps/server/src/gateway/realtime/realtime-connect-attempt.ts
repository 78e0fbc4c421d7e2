/**
 * One attempt to open a session at an upstream. The result is a WebSocket on which the upstream has sent its first
 * event, or the reason for the failure. Some upstreams accept every upgrade, and refuse the key or the model only in
 * the first event.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { isLongMessage, type PassthroughCall, readEvent, UpstreamError } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Dispatcher } from 'undici';
import type { Timers } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { isLocalResourceShortage } from '../../platform/outbound/system-resolver.ts';
import {
  type CountBytes,
  countUnfinishedMessageBytes,
  createClientWebSocket,
  createHandshake,
  type WebSocket,
} from '../../platform/outbound/web-socket.ts';
import { timeoutError, unreachableError } from '../http/attempt-result-and-errors.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { localConnectionError } from '../http/relay-error.ts';
import { HeldBytes, type MemoryShare } from '../limits/memory-budget.ts';
import type { Booked } from '../routing/find-channel-or-explain.ts';
import { ErrorBody } from '../upstream/error-body.ts';
import type { Message } from './realtime-sockets.ts';

export type ConnectResult =
  | {
      outcome: 'answered';
      status: number;
      upstream: WebSocket;
      connection: Duplex;
      initialMessages: readonly Message[];
    }
  | { outcome: 'failed'; status: number; error: UpstreamError }
  | { outcome: 'left'; status: number };

/** @param withinMs time limit, even if the channel's deadlines allow more */
export function connectRealtime(
  { outbound, clock }: { outbound: Outbound; clock: Timers },
  { channel }: Booked,
  proxy: string,
  call: PassthroughCall,
  { client, slot }: { client: ClientResponse; slot: Pick<MemoryShare, 'grow'> },
  withinMs: number,
): Promise<ConnectResult> {
  const { connectMs, firstByteMs } = channel.deadlines;
  const { headers: asking, accept } = createHandshake();
  return new Promise((resolve) => {
    const held = new HeldBytes(slot, (refusal) => client.stop(refusal));
    let bytes = 0;
    const count: CountBytes = (more) => {
      bytes += more;
      held.set(bytes);
    };
    const handshake = new Handshake(clock, accept, call, count, (connected) => {
      timer.close();
      client.onLeave = undefined;
      held.set(0);
      const cause = connected.outcome === 'failed' ? connected.error.cause : undefined;
      if (!isLocalResourceShortage(cause)) return resolve(connected);
      // The channel is not at fault: the session ends as if the gateway had stopped it.
      client.stop(localConnectionError(cause));
      resolve({ outcome: 'left', status: 0 });
    });
    const timeoutMs = Math.min(connectMs + firstByteMs, withinMs);
    const timer = clock.after(timeoutMs, () => handshake.giveUp(timeoutMs));
    client.onLeave = () => handshake.leave();
    if (client.hasLeft || client.stopReason !== undefined) return handshake.leave();
    try {
      outbound.upgrade({ url: call.url, headers: [...call.headers, ...asking], proxy }, handshake);
    } catch (error) {
      handshake.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
    }
  });
}

class Handshake implements Dispatcher.DispatchHandler {
  readonly #timers: Timers;
  readonly #accept: string;
  readonly #call: PassthroughCall;
  #resolve: ((connected: ConnectResult) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #count: CountBytes;
  /** Upstream that has accepted the upgrade and sent nothing yet. */
  #upstream: WebSocket | undefined;
  #stopCounting: () => void = () => {};
  #status = 0;
  #errorBody: ErrorBody | undefined;

  /** @param count counts the bytes of the first message, which may come slowly, until it is complete */
  constructor(
    timers: Timers,
    accept: string,
    call: PassthroughCall,
    count: CountBytes,
    resolve: (connected: ConnectResult) => void,
  ) {
    this.#timers = timers;
    this.#accept = accept;
    this.#call = call;
    this.#count = count;
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#resolve === undefined) controller.abort(new Error('given up'));
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    connection: Duplex,
  ): void {
    this.#status = status;
    connection.on('error', () => {});
    // Node is still removing its HTTP listeners, which resumes a paused connection.
    process.nextTick(() => {
      const isUnderstood = status === 101 && headers['sec-websocket-accept'] === this.#accept;
      if (isUnderstood && this.#resolve !== undefined)
        return this.#listen(createClientWebSocket(connection), connection);
      connection.destroy();
      this.#fail(new UpstreamError('garbled', 'The upstream rejected the WebSocket upgrade', { status }));
    });
  }

  /** Waits for the first event: `session.created`, or an error. */
  #listen(upstream: WebSocket, connection: Duplex): void {
    this.#upstream = upstream;
    this.#stopCounting = countUnfinishedMessageBytes(upstream, connection, this.#count);
    const early: Message[] = [];
    const begin = (first: Message): void => {
      upstream.removeAllListeners('message');
      const refusal = this.#refusalIn(first);
      if (refusal !== undefined) return this.#fail(refusal);
      this.#upstream = undefined;
      this.#end({ outcome: 'answered', status: this.#status, upstream, connection, initialMessages: early });
    };
    upstream.on('error', () => {});
    upstream.on('close', () => {
      this.#fail(new UpstreamError('garbled', 'The upstream closed the session immediately', { status: this.#status }));
    });
    upstream.on('message', (data, isBinary) => {
      const message = { data, isBinary };
      upstream.pause();
      // More messages may arrive in the same read.
      if (early.push(message) === 1) queueMicrotask(() => begin(message));
    });
    upstream.resume();
  }

  /** Errors are short; the session reads long events in turns that delay no others. */
  #refusalIn({ data }: Message): UpstreamError | undefined {
    if (isLongMessage(data)) return undefined;
    let event: unknown;
    try {
      event = readEvent(data);
    } catch (cause) {
      return new UpstreamError('garbled', 'The upstream sent an invalid message', { status: 502, cause });
    }
    if (!isObject(event) || event['type'] !== 'error') return undefined;
    const { error } = event;
    const isOurs = isObject(error) && error['type'] === 'invalid_request_error';
    return this.#call.readError(isOurs ? 400 : 502, {}, Buffer.from(JSON.stringify({ error })));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#errorBody = new ErrorBody(this.#timers, (body) => {
      this.#fail(this.#call.readError(status, headers, body));
      this.#controller?.abort(new Error('the rest is not read'));
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#errorBody?.push(chunk);
  }

  onResponseEnd(): void {
    this.#errorBody?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, cause: Error): void {
    this.#fail(unreachableError(this.#status, cause));
  }

  giveUp(timeoutMs: number): void {
    this.#fail(timeoutError(this.#status, { phase: 'first-byte', limitMs: timeoutMs }));
    this.#controller?.abort(new Error('given up'));
  }

  leave(): void {
    this.#end({ outcome: 'left', status: this.#status });
    this.#controller?.abort(new Error('the client left'));
  }

  #fail(error: UpstreamError): void {
    this.#end({ outcome: 'failed', status: this.#status, error });
  }

  #end(connected: ConnectResult): void {
    this.#stopCounting();
    this.#upstream?.terminate();
    this.#errorBody?.close();
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(connected);
  }
}

/** Client of the realtime API that stores received events. */
import { once } from 'node:events';
import { isObject } from '@switchyard/relay/json';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { RealtimeUpstream } from '../../../../tests/scripted-upstream/realtime.ts';
import type { RelayScene } from './relay-scene.ts';

export type ReceivedEvent = Readonly<Record<string, unknown>>;

export interface RealtimeTestClient {
  socket: WebSocket;
  /** Request id of the response to the upgrade; empty until then. */
  readonly requestId: string;
  /** Received events. A message that is not a JSON object is an empty one. */
  events: ReceivedEvent[];
  send(event: object): void;
  /** Returns the next event of the type, also one that was received but not returned yet. */
  waitForEvent(type: string): Promise<ReceivedEvent>;
  closed: Promise<{ code: number; reason: string }>;
  /** Response instead of an upgrade. */
  rejection: Promise<{ status: number; body: string }>;
}

export interface RealtimeOptions {
  key?: string;
  /** Headers in place of the key's. */
  headers?: Readonly<Record<string, string>>;
  protocols?: readonly string[];
  /** Does not respond to pings. */
  ignoresPings?: boolean;
}

const WAIT_TIMEOUT_MS = 60_000;

/** @param query of the address, or only the name of a model */
export function connectRealtime(
  scene: Pick<RelayScene, 'url' | 'key'>,
  query: string,
  options: RealtimeOptions = {},
): RealtimeTestClient {
  const { key = scene.key, headers = { authorization: `Bearer ${key}` }, protocols = [] } = options;
  const search = query.includes('=') ? query : `model=${encodeURIComponent(query)}`;
  const url = `${scene.url.replace('http', 'ws')}/v1/realtime?${search}`;
  const socket = new WebSocket(url, protocols, { headers, autoPong: options.ignoresPings !== true });
  const events: ReceivedEvent[] = [];
  let looked = 0;
  let requestId = '';
  socket.once('upgrade', ({ headers }) => {
    requestId = String(headers['x-request-id']);
  });
  socket.on('error', () => {});
  socket.on('message', (data) => {
    events.push(readEvent(data.toString()));
    socket.emit('event');
  });
  return {
    socket,
    events,
    get requestId() {
      return requestId;
    },
    send: (event) => socket.send(JSON.stringify(event)),
    async waitForEvent(type) {
      const isIt = (event: ReceivedEvent, at: number): boolean => at >= looked && event['type'] === type;
      while (!events.some(isIt)) await once(socket, 'event', { signal: AbortSignal.timeout(WAIT_TIMEOUT_MS) });
      looked = events.findIndex(isIt) + 1;
      return events[looked - 1] ?? {};
    },
    closed: new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    }),
    rejection: new Promise((resolve) => {
      socket.once('unexpected-response', async (_request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      });
    }),
  };
}

/** Opens a session at the scripted upstream. @param query of the address, or only the name of a model */
export async function openRealtimeSession(
  scene: Pick<RelayScene, 'url' | 'key'>,
  { sessions }: RealtimeUpstream,
  query: string,
  options?: RealtimeOptions,
) {
  const caller = connectRealtime(scene, query, options);
  await caller.waitForEvent('session.created');
  const session = sessions.at(-1);
  if (session === undefined) throw new Error('the upstream has no session');
  return { caller, session };
}

function readEvent(text: string): ReceivedEvent {
  try {
    const event: unknown = JSON.parse(text);
    return isObject(event) ? event : {};
  } catch {
    return {};
  }
}

/** Returns the code of an error event. */
export function getErrorCode({ error }: ReceivedEvent): unknown {
  return isObject(error) ? error['code'] : undefined;
}

/** Waits until the gateway has cancelled a response of the last session, then until it no longer waits for the report. */
export async function expireReport(
  { clock }: Pick<RelayScene, 'clock'>,
  { sessions }: RealtimeUpstream,
): Promise<void> {
  const isCancelled = () => sessions.at(-1)?.receivedEvents.some(({ type }) => type === 'response.cancel');
  await expect.poll(isCancelled, { interval: 5 }).toBe(true);
  clock.advance(5);
}

export async function closeRealtime({ socket, closed }: RealtimeTestClient): Promise<void> {
  socket.close(1000);
  await closed;
}

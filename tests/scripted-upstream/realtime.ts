/**
 * OpenAI's realtime API (GA) on 127.0.0.1: sends known content in the vendor's order of events, misbehaves on command
 * and records received events. The model's name defines its behaviour, in the words of `behaviour.ts`: pieces are the
 * audio deltas of a response.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { listen } from '../listen.ts';
import { type Behaviour, parseBehaviour } from './behaviour.ts';

export interface ServedSession {
  path: string;
  headers: IncomingHttpHeaders;
  /** Events of the client. */
  receivedEvents: Readonly<Record<string, unknown>>[];
  /** The same events as received. */
  receivedTexts: string[];
  /** Number of audio deltas that the connection has accepted. */
  piecesSent: number;
  closed: { code: number; reason: string } | undefined;
  /** Sends an event, or any other bytes. */
  send: (message: string | object) => void;
  socket: WebSocket;
}

export interface RealtimeUpstream {
  /** Without trailing slash. */
  url: string;
  sessions: ServedSession[];
  /** Refused requests. */
  readonly refused: number;
  /** Upgrades without a response. */
  readonly unanswered: number;
  close(): Promise<void>;
}

/**
 * Usage that every response reports. https://platform.openai.com/docs/api-reference/realtime-server-
 * events/response/done
 */
const realtimeUsage = {
  total_tokens: 253,
  input_tokens: 132,
  output_tokens: 121,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 13,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 60, audio_tokens: 4, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 91 },
};

/** A tenth of a second at 24 kHz. */
export const AUDIO_CHUNK_BYTES = 4_800;

export async function startRealtimeUpstream(): Promise<RealtimeUpstream> {
  const sessions: ServedSession[] = [];
  const connections = new Set<Duplex>();
  let refused = 0;
  let unanswered = 0;
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer((_request, response) => response.writeHead(426).end());
  server.on('upgrade', (request, socket, head) => {
    const model = new URL(request.url ?? '', 'http://upstream').searchParams.get('model') ?? '';
    const behaviour = parseBehaviour(model);
    connections.add(socket);
    if (behaviour.firstByteMs > 0) {
      unanswered += 1;
      return;
    }
    if (behaviour.status !== 200) {
      refused += 1;
      const body = JSON.stringify({ error: { message: `refused for Bearer sk-upstream-1`, type: 'test' } });
      socket.end(
        `HTTP/1.1 ${behaviour.status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const session: ServedSession = {
        path: request.url ?? '',
        headers: request.headers,
        receivedEvents: [],
        receivedTexts: [],
        piecesSent: 0,
        closed: undefined,
        send: (message) => client.send(typeof message === 'string' ? message : JSON.stringify(message)),
        socket: client,
      };
      sessions.push(session);
      serveSession(session, model, behaviour);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    sessions,
    get refused() {
      return refused;
    },
    get unanswered() {
      return unanswered;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of connections) socket.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serveSession(session: ServedSession, model: string, behaviour: Behaviour): void {
  const { socket, send } = session;
  const running = new Set<string>();
  let responses = 0;
  let commits = 0;
  socket.on('error', () => {});
  socket.on('close', (code, reason) => {
    session.closed = { code, reason: reason.toString() };
  });
  const transcription = model.includes('transcribed') ? { model: 'scripted-transcriber' } : null;
  const format = { type: 'audio/pcm', rate: 24_000 };
  if (behaviour.silentAfter === 0) return;
  if (behaviour.errorIn200) {
    // OpenAI's behaviour for an unknown key.
    const error = { type: 'invalid_request_error', code: 'invalid_api_key', message: 'no sk-upstream-1' };
    send({ type: 'error', event_id: 'event_1', error });
    return socket.close(3000, 'invalid_request_error.invalid_api_key');
  }
  send({
    type: 'session.created',
    event_id: 'event_1',
    session: {
      type: 'realtime',
      id: 'sess_1',
      model,
      audio: { input: { format, transcription }, output: { format, voice: 'alloy' } },
    },
  });
  socket.on('message', (data) => {
    const text = data.toString();
    const event: unknown = JSON.parse(text);
    if (typeof event !== 'object' || event === null) return;
    const received: Record<string, unknown> = { ...event };
    session.receivedEvents.push(received);
    session.receivedTexts.push(text);
    if (received['type'] === 'input_audio_buffer.commit') {
      commits += 1;
      transcribe(session, behaviour, `item_c${commits}`);
    }
    if (received['type'] === 'response.cancel') cancel(session, behaviour, running, received['response_id']);
    if (received['type'] !== 'response.create') return;
    responses += 1;
    const id = `resp_${responses}`;
    running.add(id);
    void respond(session, behaviour, running, id).finally(() => running.delete(id));
  });
}

function transcribe({ send }: ServedSession, behaviour: Behaviour, item_id: string): void {
  const usage = {
    type: 'tokens',
    total_tokens: 22,
    input_tokens: 13,
    output_tokens: 9,
    input_token_details: { text_tokens: 1, audio_tokens: 12 },
  };
  send({ type: 'input_audio_buffer.committed', event_id: 'event_c', item_id });
  send({
    type: 'conversation.item.input_audio_transcription.completed',
    event_id: 'event_t',
    item_id,
    content_index: 0,
    transcript: 'what was said',
    ...(behaviour.usage === 'none' ? {} : { usage }),
  });
}

/** https://platform.openai.com/docs/api-reference/realtime-client-events/response/cancel */
function cancel({ send }: ServedSession, behaviour: Behaviour, running: Set<string>, named: unknown): void {
  if (behaviour.silentAfter !== undefined) return;
  const id = [...running].find((one) => named === undefined || one === named);
  if (id === undefined) {
    const message = 'Cancellation failed: no active response found';
    const error = { type: 'invalid_request_error', code: 'response_cancel_not_active', message };
    return send({ type: 'error', event_id: 'event_e', error });
  }
  running.delete(id);
  const status_details = { type: 'cancelled', reason: 'client_cancelled' };
  const response = { id, object: 'realtime.response', status: 'cancelled', status_details, output: [] };
  send({ type: 'response.done', event_id: `event_${id}`, response: { ...response, usage: buildUsage(behaviour) } });
}

async function respond(
  session: ServedSession,
  behaviour: Behaviour,
  running: ReadonlySet<string>,
  id: string,
): Promise<void> {
  const { socket, send } = session;
  const of = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: 0 };
  const item = { id: of.item_id, type: 'message', role: 'assistant' };
  send({ type: 'response.created', response: { id, status: 'in_progress', output: [], usage: null } });
  if (behaviour.garbage) {
    for (const message of ['{not json', '[]', 'null', '"text"', '{"type":5}', '{}']) send(message);
    socket.send(Buffer.from([0, 255, 1]), { binary: true });
  }
  send({ type: 'response.output_item.added', ...of, item });
  send({ type: 'response.content_part.added', ...of, part: { type: 'audio', transcript: '' } });
  send({ type: 'response.output_audio_transcript.delta', ...of, delta: 'four words are said' });
  const delta = Buffer.alloc(AUDIO_CHUNK_BYTES).toString('base64');
  for (let piece = 0; piece < behaviour.tokens; piece += 1) {
    if (piece === behaviour.cutAfter) return socket.terminate();
    if (piece === behaviour.silentAfter) return;
    const text = JSON.stringify({ type: 'response.output_audio.delta', ...of, delta });
    await new Promise<void>((resolve) => socket.send(text, { binary: false }, () => resolve()));
    session.piecesSent += 1;
    if (behaviour.dripMs > 0) await sleep(systemTimers, behaviour.dripMs);
    if (socket.readyState !== 1 || !running.has(id)) return;
  }
  send({ type: 'response.output_audio.done', ...of });
  send({ type: 'response.output_audio_transcript.done', ...of, transcript: 'four words are said' });
  send({ type: 'response.output_item.done', ...of, item });
  const usage = buildUsage(behaviour);
  const failed = { type: 'failed', error: { type: 'server_error', message: 'failed for sk-upstream-1' } };
  const isFailed = behaviour.errorInStream;
  const done = {
    type: 'response.done',
    event_id: `event_${id}`,
    response: {
      id,
      object: 'realtime.response',
      status: isFailed ? 'failed' : 'completed',
      status_details: isFailed ? failed : null,
      output: [item],
      usage,
    },
  };
  send(done);
  if (behaviour.usage === 'twice') send(done);
  send({ type: 'rate_limits.updated', rate_limits: [] });
}

function buildUsage({ usage }: Behaviour): object | null {
  if (usage === 'none') return null;
  if (usage === 'negative') return { ...realtimeUsage, input_tokens: -132, output_tokens: -121 };
  if (usage === 'huge') return { ...realtimeUsage, input_tokens: 1e300, output_tokens: 1e300 };
  return realtimeUsage;
}

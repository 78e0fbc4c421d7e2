/** Worker thread that floods a gateway with small messages, as its client and as its upstream. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket, WebSocketServer } from 'ws';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { listen } from '../listen.ts';
import type { Flood } from './flood.ts';

const CHUNK_BYTES = 65_536;
const BUFFERED_MAX_BYTES = 300_000;
const MESSAGES_AT_ONCE = 2_000;
const SMALL_MESSAGE = '{"type":"input_audio_buffer.commit","a":1}';
/** One message with the maximum number of values, and one with a text of escape sequences. */
const DENSE_MESSAGES = [Array.from({ length: 3_900 }, () => ({ a: 'b' })), '\n"'.repeat(60_000)].map((a) =>
  JSON.stringify({ type: 'input_audio_buffer.commit', a }),
);

/** Gemini response with many list items. */
const formatListing = (end: string): string =>
  `{"candidates":[{"content":{"parts":[${Array.from({ length: 70_000 }, () => '{"text":"a"}').join()}],"role":"model"}${end},"index":0}]}`;
const whole = Buffer.from(formatListing(',"finishReason":"STOP"'));

/** Event with one letter of text, and the events before the first one, by the requested path. */
const streams = [
  { path: /gemini-large/, start: '', event: `data: ${formatListing('')}\n\n` },
  {
    path: /messages/,
    start:
      'data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    event: 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n',
  },
  {
    path: /generateContent/i,
    start: '',
    event: 'data: {"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0}]}\n\n',
  },
  {
    path: /completions/,
    start: '',
    event: 'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  },
];

/** Sends events without pause, as fast as they are read. */
function flood(message: IncomingMessage, response: ServerResponse): void {
  if (message.url?.includes('gemini-whole') === true)
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(whole);
  const stream = streams.find(({ path }) => path.test(message.url ?? ''));
  if (stream === undefined) return void response.writeHead(404).end();
  message.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(stream.start);
  const chunk = stream.event.repeat(Math.ceil(CHUNK_BYTES / stream.event.length));
  const go = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', go);
  response.on('error', () => {});
  go();
}

async function sendForever(socket: WebSocket, say: () => void): Promise<void> {
  while (socket.readyState === 1) {
    for (let nth = 0; nth < MESSAGES_AT_ONCE && socket.bufferedAmount < BUFFERED_MAX_BYTES; nth += 1) say();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await sleep(systemTimers, 1);
  }
}

async function serveUpstream(): Promise<number> {
  const server = createServer(flood);
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (message, connection, head) =>
    sockets.handleUpgrade(message, connection, head, (socket) => {
      socket.on('error', () => {});
      socket.send(JSON.stringify({ type: 'session.created', session: { id: 's', type: 'realtime' } }));
      if (message.url?.includes('flooding') === true)
        void sendForever(socket, () => socket.send('{"type":"rate_limits.updated","a":1234567}'));
    }),
  );
  return listen(server);
}

function openSession({ url, key }: Flood, model: string, say?: (socket: WebSocket) => void): void {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${model}`, [], {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => {});
  socket.on('open', () => {
    if (say !== undefined) void sendForever(socket, () => say(socket));
  });
}

/** Repeats the request after every response. */
function requestForever(asked: Flood): void {
  const { url, key, path = '', body = '' } = asked;
  const sent = request(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-goog-api-key': key, 'content-type': 'application/json' },
  });
  const again = (): void => void sleep(systemTimers, 20).then(() => requestForever(asked));
  sent.on('response', (response) => response.resume().on('close', again));
  sent.on('error', again);
  sent.end(body);
}

const attack: Flood | undefined = workerData;
if (attack === undefined) parentPort?.postMessage(await serveUpstream());
else {
  for (let nth = 0; nth < attack.count; nth += 1) {
    if (attack.kind === 'requests') requestForever(attack);
    else if (attack.kind === 'upstream-messages') openSession(attack, 'realtime-flooding');
    else
      openSession(attack, 'realtime-quiet', (socket) => {
        if (attack.kind === 'pings') return socket.ping();
        for (const message of attack.kind === 'dense-messages' ? DENSE_MESSAGES : [SMALL_MESSAGE]) socket.send(message);
      });
  }
}

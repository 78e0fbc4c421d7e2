/**
 * Worker thread with a vendor on 127.0.0.1 whose responses are large: vectors, images, and streams of one large event.
 * It posts its port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import { listen } from '../listen.ts';

const MB = 1_048_576;
const VECTORS_BYTES = 48 * MB;
/** Vectors of 42 MB. */
export const GEMINI_TEXTS = 1_300;
const GEMINI_DIMENSIONS = 3_072;
const IMAGES = 10;
/** Base64 of an image of 3840 × 2160. */
const IMAGE_BYTES = 13 * MB;
const EVENT_BYTES = 50 * MB;
const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: ReadonlyMap<string, Buffer>,
): Promise<void> {
  response.on('error', () => {});
  await buffer(request);
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/^.*:/, '');
  const body = bodies.get(path);
  const isStream = body?.subarray(0, 5).toString() === 'data:';
  response.writeHead(body === undefined ? 404 : 200, {
    'content-type': isStream ? 'text/event-stream' : 'application/json',
  });
  response.end(body);
}

/** Responses by the last part of the path. */
const largeBodies = (): Readonly<Record<string, () => Buffer>> => ({
  '/v1/embeddings': vectors,
  batchEmbedContents: geminiVectors,
  '/v1/images/generations': images,
  '/v1/chat/completions': () =>
    stream(
      { choices: [{ index: 0, delta: { content: word(EVENT_BYTES) } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
      '[DONE]',
    ),
  '/v1/messages': () =>
    stream(
      { type: 'message_start', message: { id: 'm', role: 'assistant', usage: { input_tokens: 5 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word(EVENT_BYTES) } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ),
  '/v1/responses': () =>
    stream(
      { type: 'response.output_text.delta', delta: word(EVENT_BYTES), item_id: 'i', output_index: 0 },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage: {} } },
    ),
  streamGenerateContent: () =>
    stream({
      candidates: [{ content: { parts: [{ text: word(EVENT_BYTES) }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5 },
    }),
});

function vectors(): Buffer {
  const numbers = Buffer.alloc(VECTORS_BYTES, '-0.0123456,');
  const head = '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[';
  return Buffer.concat([
    Buffer.from(head),
    numbers.subarray(0, numbers.lastIndexOf(',')),
    Buffer.from(']}],"model":"large","usage":{"prompt_tokens":5,"total_tokens":5}}'),
  ]);
}

/** Returns as many vectors as texts, of the longest that Google offers. */
function geminiVectors(): Buffer {
  const vector = { values: Array.from({ length: GEMINI_DIMENSIONS }, () => -0.0123456) };
  return Buffer.from(JSON.stringify({ embeddings: Array.from({ length: GEMINI_TEXTS }, () => vector) }));
}

function images(): Buffer {
  const data = Array.from({ length: IMAGES }, () => ({ b64_json: word(IMAGE_BYTES) }));
  return Buffer.from(JSON.stringify({ created: 1, data }));
}

function word(length: number): string {
  return 'QUJD'.repeat(length / 4);
}

function stream(...events: readonly (object | string)[]): Buffer {
  const texts = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
  return Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(''));
}

if (parentPort !== null) {
  const bodies = new Map(Object.entries(largeBodies()).map(([path, body]) => [path, body()]));
  const server = createServer((request, response) => {
    void answer(request, response, bodies);
  });
  parentPort.postMessage(await listen(server));
}

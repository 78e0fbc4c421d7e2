/** Responses of the measured upstream, framed for HTTP once, so that responding only copies bytes. */
import { writeFileSync } from 'node:fs';

export const STREAM_EVENTS = 200;

export interface Dialect {
  /** A complete response of about 1.5 kB. */
  whole: Buffer;
  /** The same without usage. */
  unreported: Buffer;
  /** Status line and headers of a stream. */
  head: Buffer;
  /** The stream's events as HTTP chunks; the last one ends the response. */
  pieces: Buffer[];
}

const PROMPT_TOKENS = 300;
const SENTENCE = 'The quick brown fox jumps over the lazy dog near the river bank. ';

function whole(body: unknown): Buffer {
  const text = JSON.stringify(body);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function dialect(answer: object, events: readonly string[]): Dialect {
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';
  const last = events.length - 1;
  return {
    whole: whole(answer),
    unreported: whole({ ...answer, usage: undefined }),
    head: Buffer.from(head),
    pieces: events.map((event, index) => Buffer.from(chunk(event) + (index === last ? '0\r\n\r\n' : ''))),
  };
}

function openai(): Dialect {
  const base = { id: 'chatcmpl-0123456789', created: 1_760_000_000, model: 'bench-model' };
  const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: STREAM_EVENTS, total_tokens: 500 };
  const message = { role: 'assistant', content: SENTENCE.repeat(18), refusal: null };
  const answer = {
    ...base,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage,
  };
  const event = (choices: unknown[], more: object): string =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', system_fingerprint: 'fp_0', choices, ...more })}\n\n`;
  const delta = (content: object, finish_reason: string | null) =>
    event([{ index: 0, delta: content, logprobs: null, finish_reason }], { usage: null });
  return dialect(answer, [
    delta({ role: 'assistant', content: '' }, null),
    ...Array.from({ length: STREAM_EVENTS }, (_, index) => delta({ content: ` word${index}` }, null)),
    delta({}, 'stop'),
    event([], { usage }),
    'data: [DONE]\n\n',
  ]);
}

function anthropic(): Dialect {
  const base = { id: 'msg_0123456789', type: 'message', role: 'assistant', model: 'bench-model' };
  const usage = { input_tokens: PROMPT_TOKENS, output_tokens: STREAM_EVENTS };
  const answer = {
    ...base,
    content: [{ type: 'text', text: SENTENCE.repeat(18) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  };
  const event = (value: { type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const opening = { ...base, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage };
  return dialect(
    answer,
    [
      { type: 'message_start', message: opening },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...Array.from({ length: STREAM_EVENTS }, (_, index) => delta(` word${index}`)),
      { type: 'content_block_stop', index: 0 },
      ended,
      { type: 'message_stop' },
    ].map(event),
  );
}

function responses(): Dialect {
  const usage = {
    input_tokens: PROMPT_TOKENS,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: STREAM_EVENTS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: PROMPT_TOKENS + STREAM_EVENTS,
  };
  const words = Array.from({ length: STREAM_EVENTS }, (_, index) => ` word${index}`);
  const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const message = { id: 'msg_0123456789', type: 'message', role: 'assistant' };
  const item = (status: string, ...content: object[]) => ({ ...message, status, content });
  const base = { id: 'resp_0123456789', object: 'response', created_at: 1_760_000_000, model: 'bench-model' };
  const settings = { error: null, incomplete_details: null, parallel_tool_calls: true, tools: [] };
  const response = (status: string, output: object[], more: object = { usage: null }) => ({
    ...base,
    ...settings,
    status,
    output,
    ...more,
  });
  const place = { item_id: message.id, output_index: 0, content_index: 0 };
  const text = words.join('');
  const ended = response('completed', [item('completed', part(text))], { usage });
  const events = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: item('in_progress') },
    { type: 'response.content_part.added', ...place, part: part('') },
    ...words.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: part(text) },
    { type: 'response.output_item.done', output_index: 0, item: item('completed', part(text)) },
    { type: 'response.completed', response: ended },
  ];
  return dialect(
    response('completed', [item('completed', part(SENTENCE.repeat(18)))], { usage }),
    events.map(({ type, ...fields }, sequence_number) => {
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
    }),
  );
}

function gemini(): Dialect {
  const answer = (text: string, written: number, more: object = {}) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: PROMPT_TOKENS,
      candidatesTokenCount: written,
      totalTokenCount: PROMPT_TOKENS + written,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: PROMPT_TOKENS }],
    },
    modelVersion: 'bench-model',
    responseId: 'response-0123456789',
  });
  const event = (json: object): string => `data: ${JSON.stringify(json)}\r\n\r\n`;
  const ended = { finishReason: 'STOP' };
  return dialect(answer(SENTENCE.repeat(18), STREAM_EVENTS, ended), [
    ...Array.from({ length: STREAM_EVENTS }, (_, index) => event(answer(` word${index}`, index + 1))),
    event(answer('', STREAM_EVENTS, ended)),
  ]);
}

/** In the order in which mock.c reads them. */
export const dialects = { openai: openai(), anthropic: anthropic(), responses: responses(), gemini: gemini() };

/** @param path path of the request */
export function dialectOf(path: string): Dialect {
  if (path.includes('/messages')) return dialects.anthropic;
  if (path.includes('/responses')) return dialects.responses;
  return path.includes('GenerateContent') ? dialects.gemini : dialects.openai;
}

/** The same for mock.c: records of `kind length`, a line feed and the bytes. */
export function writeTexts(file: string): void {
  const record = (kind: string, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${kind} ${bytes.length}\n`), bytes, Buffer.from('\n')]);
  const records = Object.values(dialects).flatMap(({ whole, unreported, head, pieces }) => [
    record('whole', whole),
    record('unreported', unreported),
    record('head', head),
    ...pieces.map((piece) => record('piece', piece)),
    record('end', Buffer.alloc(0)),
  ]);
  writeFileSync(file, Buffer.concat(records));
}

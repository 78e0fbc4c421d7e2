/** What the measured upstream says, framed for HTTP once, so that answering is copying bytes. */
import { writeFileSync } from 'node:fs';

export const STREAM_EVENTS = 200;

export interface Dialect {
  /** A complete answer of about 1.5 kB. */
  whole: Buffer;
  /** The same without usage. */
  unreported: Buffer;
  /** Status line and headers of a stream. */
  head: Buffer;
  /** The stream's events as HTTP chunks; the last one ends the answer. */
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
  const event = (value: { type: string }): string =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const opening = { ...base, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const delta = (text: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
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

export const dialects = { openai: openai(), anthropic: anthropic() };

/** The same for mock.c: records of `kind length`, a line feed and the bytes. */
export function writeTexts(file: string): void {
  const record = (kind: string, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${kind} ${bytes.length}\n`), bytes, Buffer.from('\n')]);
  const records = [dialects.openai, dialects.anthropic].flatMap(({ whole, unreported, head, pieces }) => [
    record('whole', whole),
    record('unreported', unreported),
    record('head', head),
    ...pieces.map((piece) => record('piece', piece)),
    record('end', Buffer.alloc(0)),
  ]);
  writeFileSync(file, Buffer.concat(records));
}

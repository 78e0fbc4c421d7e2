import { describe, expect, it } from 'vitest';
import { getDialect } from '../exchange/dialect-registry.ts';
import { encodeAsRequested } from '../exchange/encode-chat-response.ts';
import { NonStreamingReader } from '../exchange/non-streaming-reader.ts';
import { TranslatingReader } from '../exchange/translating-reader.ts';
import { listOf, objectOf } from '../json/json.ts';
import type { ChatCodec } from '../model/dialect.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { parseSseEvents } from '../wire/sse.ts';

function chat(format: DialectId): ChatCodec {
  const found = getDialect(format).chat;
  if (found === undefined) throw new InvalidRequestError(`${format} is no chat dialect.`);
  return found;
}

function chunk(index: number, delta: unknown, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index, delta, finish_reason }] })}\n\n`;
}

const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
const done = 'data: [DONE]\n\n';
const pieces = [
  chunk(1, { content: 'bb' }),
  chunk(0, { content: 'a' }),
  chunk(0, {}, 'stop'),
  chunk(1, { content: 'b' }),
  chunk(1, {}, 'length'),
];

function reader(to: DialectId, n: number): TranslatingReader {
  return new TranslatingReader(
    chat('openai-chat'),
    'openai-chat',
    chat(to),
    sampleRequest('openai-chat', { n, stream: true }),
    sampleTarget('openai'),
  );
}

function read(reader: TranslatingReader, body: string): string {
  return Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
}

describe('a stream with several choices', () => {
  it('writes choices with their indexes, each with its own start and end, and one final event', () => {
    const reading = reader('openai-chat', 2);
    const events = parseSseEvents(Buffer.from(read(reading, pieces.join('') + usage + done)));
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(events.filter(({ data }) => data === '[DONE]')).toHaveLength(1);
    const choices = events.slice(0, -1).map(({ data }) => objectOf(listOf(objectOf(JSON.parse(data))['choices'])[0]));
    const of = (index: number): unknown[] =>
      choices.filter((choice) => choice['index'] === index).map(({ delta, finish_reason }) => [delta, finish_reason]);
    const opening = [{ role: 'assistant', content: '' }, null];
    expect(of(0)).toEqual([opening, [{ content: 'a' }, null], [{}, 'stop']]);
    expect(of(1)).toEqual([opening, [{ content: 'bb' }, null], [{ content: 'b' }, null], [{}, 'length']]);
    expect(reading.dropped).toEqual([]);
  });

  it('keeps the first choice for a dialect without choices; reports and meters the others', () => {
    const reading = reader('anthropic-messages', 2);
    const written = read(reading, pieces.join('') + usage + done);
    expect(written.match(/"text_delta","text":"[^"]*"/g)).toEqual(['"text_delta","text":"a"']);
    expect(written.match(/event: message_stop/g)).toHaveLength(1);
    expect(reading.dropped).toEqual(['n']);
    expect(reading.meter).toMatchObject({ deliveredCharacters: 4, usage: { input: 3, output: 4 } });
  });

  it('ends when all requested choices have ended, or when the upstream reports the end', () => {
    expect(() => read(reader('openai-chat', 2), pieces.slice(0, 3).join(''))).toThrow(
      expect.objectContaining({ code: 'stream_cut' }),
    );
    expect(read(reader('openai-chat', 2), pieces.slice(0, 3).join('') + done)).toContain('[DONE]');
    expect(read(reader('openai-chat', 1), pieces.slice(1, 3).join(''))).toContain('[DONE]');
  });

  it('does not end with a choice that was not requested', () => {
    const stray = chunk(0, { content: 'a' }) + chunk(127, {}, 'stop');
    const reading = reader('anthropic-messages', 1);
    expect(() => read(reading, stray)).toThrow(expect.objectContaining({ code: 'stream_cut' }));
  });

  it('expects one choice from an upstream dialect that supports only one', () => {
    const request = sampleRequest('openai-chat', { n: 3, stream: true });
    const reading = new TranslatingReader(
      chat('anthropic-messages'),
      'anthropic-messages',
      chat('openai-chat'),
      request,
      sampleTarget('openai'),
    );
    const body =
      'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n';
    expect(read(reading, body)).toContain('[DONE]');
  });
});

describe('a non-streaming response with several choices', () => {
  const choices = ['a', 'b'].map((content) => ({ message: { content }, finish_reason: 'stop' }));

  function whole(to: DialectId): { answer: Record<string, unknown>; dropped: readonly string[] } {
    const request = sampleRequest('openai-chat', { n: 2 });
    const reading = new NonStreamingReader(
      getDialect('openai-chat'),
      (_answer, { events = [] }, asked, lost) => encodeAsRequested(chat(to), events, asked, lost),
      request,
      sampleTarget('openai'),
    );
    reading.push(Buffer.from(JSON.stringify({ choices })));
    const answer = JSON.parse(reading.end().toString());
    expect(reading.meter.deliveredCharacters).toBe(2);
    return { answer, dropped: reading.dropped };
  }

  it('keeps them if the dialect supports choices, even if the vendor does not number them', () => {
    expect(whole('openai-chat').answer['choices']).toMatchObject([
      { index: 0, message: { content: 'a' } },
      { index: 1, message: { content: 'b' } },
    ]);
  });

  it('keeps the first choice in other dialects and reports n as unsupported', () => {
    const { answer, dropped } = whole('anthropic-messages');
    expect(answer['content']).toEqual([{ type: 'text', text: 'a' }]);
    expect(dropped).toEqual(['n']);
  });
});

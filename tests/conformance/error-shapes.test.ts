import Anthropic, { RateLimitError as AnthropicRateLimitError } from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { encodeError, encodeStreamError, parseSseEvents } from '@switchyard/relay';
import OpenAI, { RateLimitError as OpenAIRateLimitError } from 'openai';
import { describe, expect, it } from 'vitest';

/** Our errors in the vendors' own clients. */
const detail = { status: 429, message: 'Slow down.' };
const messages = [{ role: 'user' as const, content: 'hi' }];

function answering(body: string, status: number, contentType: string): () => Promise<Response> {
  return async () => new Response(body, { status, headers: { 'content-type': contentType } });
}

async function readToEnd(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('OpenAI’s client', () => {
  const start = 'data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';

  it('raises our error by status, with its message', async () => {
    const fetch = answering(encodeError('openai-chat', detail), 429, 'application/json');
    const call = new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }).chat.completions.create({ model: 'm', messages });
    await expect(call).rejects.toThrow(OpenAIRateLimitError);
    await expect(call).rejects.toThrow('Slow down.');
  });

  it('raises an error in the middle of a stream', async () => {
    const fetch = answering(start + encodeStreamError({ format: 'openai-chat' }, detail), 200, 'text/event-stream');
    const client = new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 });
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    await expect(readToEnd(stream)).rejects.toThrow('Slow down.');
  });
});

describe('OpenAI’s client of responses', () => {
  it('raises an error in the middle of a stream, from the event and from its content', async () => {
    const body = encodeStreamError({ format: 'openai-responses' }, { ...detail, code: 'slow_down' });
    const client = new OpenAI({ apiKey: 'k', fetch: answering(body, 200, 'text/event-stream'), maxRetries: 0 });
    const stream = await client.responses.create({ model: 'm', input: 'hi', stream: true });
    await expect(readToEnd(stream)).rejects.toThrow('Slow down.');
    const vendorError = { code: 'slow_down', message: 'Slow down.', param: null };
    const [event, failed] = parseSseEvents(Buffer.from(body)).map(({ data }) => JSON.parse(data));
    expect(event).toMatchObject({
      type: 'error',
      ...vendorError,
      error: { ...vendorError, type: 'rate_limit_exceeded' },
    });
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'slow_down' } },
    });
    expect(failed.sequence_number).toBeGreaterThan(event.sequence_number);
  });
});

describe('Anthropic’s client', () => {
  const request = { model: 'm', max_tokens: 5, messages };

  it('raises our error by status, with its message', async () => {
    const fetch = answering(encodeError('anthropic-messages', detail), 429, 'application/json');
    const call = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 }).messages.create(request);
    await expect(call).rejects.toThrow(AnthropicRateLimitError);
    await expect(call).rejects.toThrow('Slow down.');
  });

  it('raises an error in the middle of a stream', async () => {
    const fetch = answering(encodeStreamError({ format: 'anthropic-messages' }, detail), 200, 'text/event-stream');
    const client = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 });
    const stream = await client.messages.create({ ...request, stream: true });
    await expect(readToEnd(stream)).rejects.toThrow('Slow down.');
  });
});

describe('Google’s client', () => {
  const request = { model: 'm', contents: 'hi' };
  const clientOf = (fetch: () => Promise<Response>): GoogleGenAI =>
    new GoogleGenAI({ apiKey: 'k', httpOptions: { fetch } });

  it('raises our error with its status and message', async () => {
    const client = clientOf(answering(encodeError('gemini', detail), 400, 'application/json'));
    const call = client.models.generateContent(request);
    await expect(call).rejects.toThrow(ApiError);
    await expect(call).rejects.toThrow('Slow down.');
  });

  it('raises an error in the middle of a stream', async () => {
    const start = 'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\r\n\r\n';
    const body = start + encodeStreamError({ format: 'gemini' }, detail);
    const client = clientOf(answering(body, 200, 'text/event-stream'));
    const stream = await client.models.generateContentStream(request);
    await expect(readToEnd(stream)).rejects.toThrow('Slow down.');
  });
});

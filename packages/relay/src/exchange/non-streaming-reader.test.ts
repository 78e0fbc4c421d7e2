import { describe, expect, it } from 'vitest';
import { HELD_BYTES_MAX, PARSED_BYTES_MAX, PASSED_BYTES_MAX } from '../errors/response-limits.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { fixture, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

function reader(format: 'openai-chat' | 'openai-embeddings' | 'openai-completions' = 'openai-chat'): ResponseReader {
  return planExchange(sampleRequest(format), sampleTarget('custom')).readResponse();
}

/** Pushes the start of a response with images of 3840 × 2160. @returns their bytes */
function pushImages(answer: ResponseReader, start: string, between: string, count: number): number {
  const image = Buffer.alloc(13_600_000, 'A');
  for (let nth = 0; nth < count; nth++) {
    answer.push(Buffer.from(nth === 0 ? start : between));
    answer.push(image);
  }
  return count * image.length;
}

describe('a non-streaming response', () => {
  it('forwards a complete response byte for byte', () => {
    const body = fixture('openai/chat-text.json');
    const answer = reader();
    expect(answer.push(body.subarray(0, 50)).length).toBe(0);
    answer.push(body.subarray(50));
    expect(answer.end().equals(body)).toBe(true);
    expect(answer.meter).toMatchObject({ finished: true, deliveredCharacters: 6, usage: { input: 9, output: 3 } });
  });

  it('without usage is counted by the gateway', () => {
    const answer = reader();
    answer.push(Buffer.from('{"choices":[{"message":{"content":"你好 you"},"finish_reason":"stop"}]}'));
    answer.end();
    expect(answer.meter).toMatchObject({ usage: undefined, deliveredCharacters: 6, deliveredWideCharacters: 2 });
  });

  it('accepts zero output tokens as a usage report', () => {
    const answer = reader();
    answer.push(
      Buffer.from(
        '{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":0}}',
      ),
    );
    answer.end();
    expect(answer.meter.usage).toMatchObject({ input: 4, output: 0 });
  });

  it.each([
    ['data: {"choices":[]}\n\n', 'garbled'],
    ['<html>', 'garbled'],
    ['', 'garbled'],
    ['[]', 'garbled'],
    ['{"error":{"message":"broken","type":"server_error"}}', 'overloaded'],
    ['{"code":"invalid","error":"broken"}', 'overloaded'],
    ['[{"error":{"message":"broken"}}]', 'overloaded'],
    ['{"error":["broken"]}', 'overloaded'],
    ['{"detail":"broken"}', 'overloaded'],
    ['{"type":"error","message":"broken"}', 'overloaded'],
    ['{"message":"broken","code":429}', 'rate-limited'],
    ['{"object":"response","status":"failed","error":{"code":"server_error","message":"x"}}', 'overloaded'],
  ])('reads %j with status 200 as %s', (body, kind) => {
    const answer = reader();
    answer.push(Buffer.from(body));
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind }));
  });

  it('forwards tool arguments that are nested deeper than a request may be', () => {
    const input = `${'{"a":'.repeat(99)}1${'}'.repeat(99)}`;
    const body = `{"type":"message","role":"assistant","stop_reason":"tool_use","usage":{"input_tokens":4,"output_tokens":9},"content":[{"type":"tool_use","id":"t","name":"f","input":${input}}]}`;
    const answer = planExchange(sampleRequest('anthropic-messages'), sampleTarget('anthropic')).readResponse();
    answer.push(Buffer.from(body));
    expect(answer.end().toString()).toBe(body);
    expect(answer.meter.usage).toMatchObject({ input: 4, output: 9 });
  });

  it('lets others run between parsing, reading and writing a large body', () => {
    const countTurns = (characters: number): number => {
      const answer = planExchange(sampleRequest('anthropic-messages'), sampleTarget('custom')).readResponse();
      const content = 'a'.repeat(characters);
      answer.push(Buffer.from(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] })));
      let turns = 1;
      while (answer.translatePart?.() === true) turns += 1;
      expect(answer.end().toString()).toContain(content);
      return turns;
    };
    expect([1_000, 2_000_000].map(countTurns)).toEqual([1, 3]);
  });

  it('forwards log probabilities beyond the limits of its structure, and reads the usage', () => {
    const top = Array.from({ length: 20 }, () => ({ token: 'a', logprob: -1, bytes: [97] }));
    const content = Array.from({ length: 12_000 }, () => ({ token: 'a', top_logprobs: top }));
    const choices = [{ message: { content: 'a' }, finish_reason: 'stop', logprobs: { content } }];
    const body = JSON.stringify({ choices, usage: { prompt_tokens: 4, completion_tokens: 12_000 } });
    const answer = reader();
    answer.push(Buffer.from(body));
    expect(answer.end().toString() === body).toBe(true);
    expect(answer.meter).toMatchObject({ deliveredCharacters: 1, usage: { input: 4, output: 12_000 } });
  });

  it('forwards ten images of 3840 × 2160, which the memory budget counts once', () => {
    const answer = planExchange(sampleRequest('openai-images', { n: 10 }), sampleTarget('custom')).readResponse();
    const bytes = pushImages(answer, '{"data":[{"b64_json":"', '"},{"b64_json":"', 10);
    answer.push(Buffer.from('"}],"usage":{"input_tokens":20,"output_tokens":66680}}'));
    expect(answer.heldBytes).toBeLessThan(bytes + 1_000);
    expect(answer.end().length).toBeGreaterThan(bytes);
    expect(answer.meter).toMatchObject({ finished: true, usage: { image: 10, imageOutput: 66_680 } });
  });

  it.each([
    ['Gemini', 'gemini', 1],
    ['Chat', 'openai-chat', 3],
  ] as const)('delivers eight images of Gemini to a client of %s', (_client, format, factor) => {
    const answer = planExchange(sampleRequest(format), sampleTarget('gemini')).readResponse();
    const part = '{"inlineData":{"mimeType":"image/png","data":"';
    const bytes = pushImages(answer, `{"candidates":[{"content":{"parts":[${part}`, `"}},${part}`, 8);
    answer.push(Buffer.from('"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,'));
    answer.push(Buffer.from('"candidatesTokenCount":9,"totalTokenCount":14}}'));
    expect(answer.heldBytes).toBeGreaterThan(factor * bytes);
    expect(answer.end().length).toBeGreaterThan(bytes);
    expect(answer.meter).toMatchObject({ finished: true, usage: { input: 5 } });
  });

  it('refuses a long integer within 50,000 levels as too large', () => {
    const answer = reader();
    answer.push(Buffer.from(`{"choices":${'['.repeat(50_000)}12345678901234567890${']'.repeat(50_000)}}`));
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind: 'garbled', isTooLarge: true }));
  });

  it.each([
    ['unchanged', PASSED_BYTES_MAX, 'custom'],
    ['translated', PARSED_BYTES_MAX, 'gemini'],
  ] as const)('refuses a response above the limit for %s ones', (_how, most, provider) => {
    const answer = planExchange(sampleRequest('openai-chat'), sampleTarget(provider)).readResponse();
    const part = Buffer.alloc(most / 8, 32);
    for (let count = 0; count < 8; count++) answer.push(part);
    expect(() => answer.push(Buffer.from(' '))).toThrow(expect.objectContaining({ isTooLarge: true }));
  });

  it.each([
    ['unchanged', 'custom'],
    ['translated', 'gemini'],
  ] as const)('refuses texts above the limit of an event, %s', (_how, provider) => {
    const answer = planExchange(sampleRequest('openai-chat'), sampleTarget(provider)).readResponse();
    answer.push(Buffer.from('{"choices":[{"message":{"content":"'));
    answer.push(Buffer.alloc(HELD_BYTES_MAX, 'word '));
    answer.push(Buffer.from('"}}]}'));
    expect(() => answer.end()).toThrow(expect.objectContaining({ isTooLarge: true }));
  });

  it.each([
    ['data:\n', 'openai-chat'],
    ['id:1\nevent:x\n', 'openai-chat'],
    ['data:\n', 'anthropic-messages'],
    ['{data:\n', 'openai-chat'],
    ['{"a":[true],data:\n', 'anthropic-messages'],
    ['{"a":"text"}\n', 'openai-chat'],
    ['{"a":"text"}\n', 'anthropic-messages'],
    ['{"a":1234567890123456 ', 'openai-chat'],
    ['[', 'openai-chat'],
  ] as const)('refuses a long body of %j at once for %s', (line, format) => {
    const answer = planExchange(sampleRequest(format), sampleTarget('custom')).readResponse();
    answer.push(Buffer.alloc(HELD_BYTES_MAX, line));
    const readCpuMs = startCpuTimer();
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind: 'garbled' }));
    expect(readCpuMs()).toBeLessThan(200);
  });

  it('reads a long body after blanks', () => {
    const answer = reader();
    answer.push(Buffer.from(`\uFEFF${' \r\n'.repeat(300_000)}`));
    const content = 'ab '.repeat(100_000);
    answer.push(Buffer.from(`{"choices":[{"message":{"content":"${content}"},"finish_reason":"stop"}]}`));
    answer.end();
    expect(answer.meter.deliveredCharacters).toBe(300_000);
  });

  it('meters a response of embeddings by its input', () => {
    const answer = reader('openai-embeddings');
    const data = '[{"object":"embedding","index":0,"embedding":[0.5]}]';
    answer.push(Buffer.from(`{"object":"list","data":${data},"usage":{"prompt_tokens":8,"total_tokens":8}}`));
    answer.end();
    expect(answer.meter).toMatchObject({ usage: { input: 8, output: 0 }, deliveredCharacters: 0 });
  });

  it('meters a response of completions by its texts', () => {
    const answer = reader('openai-completions');
    answer.push(
      Buffer.from('{"choices":[{"text":"ab"},{"text":"cd"}],"usage":{"prompt_tokens":2,"completion_tokens":2}}'),
    );
    answer.end();
    expect(answer.meter).toMatchObject({ usage: { input: 2, output: 2 }, deliveredCharacters: 4 });
  });
});

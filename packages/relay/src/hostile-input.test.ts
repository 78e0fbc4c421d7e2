import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequest } from './format.ts';
import { planExchange } from './plan-exchange.ts';
import type { FormatId } from './provider.ts';
import { geminiRequest, rawRequest, sampleRequest, sampleTarget } from './samples.ts';
import { UpstreamError } from './upstream-error.ts';
import { usageCounters } from './usage.ts';

/** Words of all dialects, so that random values get far into the code. */
const word = fc.constantFrom(
  'text',
  'image',
  'image_url',
  'document',
  'file',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'user',
  'assistant',
  'system',
  'tool',
  'function',
  'base64',
  'url',
  'object',
  '__proto__',
  'constructor',
  'data:,%',
  'auto',
  'any',
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
  'text_delta',
  'input_json_delta',
  'signature_delta',
  'thinking_delta',
  'stop',
  'null',
  'model',
  'image/png',
  'STOP',
  'ANY',
  'STRING',
  '$.a[0].b',
  '$.__proto__.a[1]',
  'https://a.test/b.png',
); // prettier-ignore
const key = fc.constantFrom(
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'source',
  'data',
  'media_type',
  'tool_calls',
  'function',
  'name',
  'arguments',
  'id',
  'tool_call_id',
  'tool_use_id',
  'input',
  'thinking',
  'signature',
  'file',
  'file_data',
  'choices',
  'delta',
  'message',
  'index',
  'finish_reason',
  'usage',
  'prompt_tokens',
  'content_block',
  'stop_reason',
  'error',
  'reasoning_details',
  'partial_json',
  'prompt_tokens_details',
  'iterations',
  'contents',
  'parts',
  'thought',
  'thoughtSignature',
  'inlineData',
  'file_data',
  'mimeType',
  'fileUri',
  'functionCall',
  'function_response',
  'args',
  'partialArgs',
  'jsonPath',
  'stringValue',
  'willContinue',
  'response',
  'executableCode',
  'codeExecutionResult',
  'systemInstruction',
  'functionDeclarations',
  'parameters',
  'toolConfig',
  'generationConfig',
  'thinkingConfig',
  'candidates',
  'finishReason',
  'promptFeedback',
  'blockReason',
  'groundingMetadata',
  'groundingChunks',
  'groundingSupports',
  'segment',
  'startIndex',
  'web',
  'uri',
  'usageMetadata',
  'promptTokenCount',
  'candidatesTokenCount',
  'promptTokensDetails',
  '__proto__',
  'constructor',
); // prettier-ignore

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    word,
    fc.constantFrom(null, 0, 1, -1, 1e308, true, '', '🐻'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 6 });
const formats = fc.constantFrom<FormatId>('openai-chat', 'anthropic-messages', 'gemini');
const providers = fc.constantFrom('openai', 'anthropic', 'custom', 'azure', 'gemini');

describe('hostile input', () => {
  it('in a request is refused with InvalidRequest or carried over, never worse', () => {
    const messages = fc.array(object, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(formats, providers, messages, object, (format, provider, messages, fields) => {
        try {
          const body = { tools: [fields], ...fields };
          const request =
            format === 'gemini'
              ? geminiRequest({ ...body, contents: messages }, { stream: true })
              : rawRequest(format, JSON.stringify({ ...body, model: 'm', messages, stream: true }));
          const { url, body: sent } = planExchange(request, sampleTarget(provider));
          expect(JSON.parse(sent.toString()).model ?? url).toContain('vendor-model');
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequest);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([true, false])(
    'in an answer (stream: %s) ends in bytes or an UpstreamError, never worse',
    (stream) => {
      fc.assert(
        fc.property(formats, providers, fc.array(object, { maxLength: 6 }), (format, provider, events) => {
          const reader = planExchange(sampleRequest(format, { stream }), sampleTarget(provider)).readAnswer();
          const framed = stream
            ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
            : JSON.stringify(events[0] ?? {});
          try {
            reader.push(Buffer.from(framed));
            reader.end();
          } catch (error) {
            expect(error).toBeInstanceOf(UpstreamError);
          }
          const { usage } = reader.meter;
          for (const counter of usageCounters) expect(usage?.[counter] ?? 0).toBeGreaterThanOrEqual(0);
        }),
        { numRuns: 1_000 },
      );
    },
  );

  it('of any bytes in a stream ends in bytes or an UpstreamError', () => {
    fc.assert(
      fc.property(
        formats,
        providers,
        fc.array(fc.uint8Array({ maxLength: 60 })),
        (format, provider, chunks) => {
          const reader = planExchange(
            sampleRequest(format, { stream: true }),
            sampleTarget(provider),
          ).readAnswer();
          for (const chunk of chunks) reader.push(Buffer.from(chunk));
          expect(() => reader.end()).toThrow(UpstreamError);
        },
      ),
    );
  });
});

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const deepObject = `{"a":${deep}}`;

function toolCall(text: string, type = 'message'): string {
  const call = `{"index":0,"id":"c","function":{"name":"f","arguments":${text}}}`;
  return `{"choices":[{"index":0,"${type}":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`;
}

function readWhole(format: FormatId, provider: string, body: string): string {
  const reader = planExchange(sampleRequest(format), sampleTarget(provider)).readAnswer();
  reader.push(Buffer.from(body));
  return reader.end().toString();
}

describe('JSON nested without end', () => {
  const request = (...texts: string[]) =>
    sampleRequest('openai-chat', {
      messages: [
        { role: 'user', content: 'hi' },
        ...texts.map((text, index) => ({
          role: 'assistant',
          tool_calls: [{ id: `c${index}`, type: 'function', function: { name: 'f', arguments: text } }],
        })),
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
      ],
    });

  it.each([[[deep]], [[deepObject]], [['{}', deepObject]]])(
    'in the arguments of a request’s tool call is refused %#',
    (texts) => {
      const plan = (): unknown => planExchange(request(...texts), sampleTarget('anthropic'));
      expect(plan).toThrow(InvalidRequest);
      expect(plan).toThrow('with the arguments of its tool calls, is nested deeper than 64 levels');
    },
  );

  it('in no single place, but with too many objects in all of them, is refused', () => {
    const wide = `{"a":[${'{},'.repeat(40_000)}{}]}`;
    expect(() => planExchange(request(wide, wide, wide), sampleTarget('anthropic'))).toThrow(
      '100,000 objects',
    );
    expect(() => planExchange(request(wide, wide), sampleTarget('anthropic'))).not.toThrow();
  });

  it('in the arguments of an answer is passed as the text that it is', () => {
    for (const text of [deep, deepObject]) {
      const answer = readWhole('anthropic-messages', 'custom', toolCall(JSON.stringify(text)));
      expect(JSON.parse(answer).content[0].input).toEqual({ _raw: text });
    }
  });

  it('in an answer’s object is garbled', () => {
    const input = `{"content":[{"type":"tool_use","id":"c","name":"f","input":${deepObject}}]}`;
    const garbled = expect.objectContaining({ kind: 'garbled' });
    expect(() => readWhole('openai-chat', 'anthropic', input)).toThrow(garbled);
    expect(() => readWhole('openai-chat', 'custom', `{"choices":${deep}}`)).toThrow(garbled);
    expect(() => readWhole('anthropic-messages', 'custom', toolCall(deepObject))).toThrow(garbled);
    const call = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deepObject}}}]}}]}`;
    expect(() => readWhole('openai-chat', 'gemini', call)).toThrow(garbled);
  });

  it.each([
    ['anthropic-messages', 'custom', `data: ${toolCall(deepObject, 'delta')}\n\n`],
    [
      'anthropic-messages',
      'gemini',
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deepObject}}}]}}]}\n\n`,
    ],
    [
      'openai-chat',
      'anthropic',
      `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":${deepObject}}}\n\n`,
    ],
  ] as const)('in a stream for %s from %s is garbled', (format, provider, event) => {
    const reader = planExchange(sampleRequest(format, { stream: true }), sampleTarget(provider)).readAnswer();
    expect(() => reader.push(Buffer.from(event))).toThrow(expect.objectContaining({ kind: 'garbled' }));
  });

  it('in an error is read as far as anyone writes', () => {
    const error = `data: {"error":${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}}\n\n`;
    for (const provider of ['custom', 'anthropic', 'gemini']) {
      const reader = planExchange(
        sampleRequest('openai-chat', { stream: true }),
        sampleTarget(provider),
      ).readAnswer();
      expect(reader.push(Buffer.from(error)).length).toBe(0);
      expect(() => reader.end()).toThrow(UpstreamError);
    }
  });
});

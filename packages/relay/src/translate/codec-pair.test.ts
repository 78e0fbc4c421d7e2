import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import { canServe, planExchange } from '../exchange/plan-exchange.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { usageCounters } from '../model/usage.ts';
import { formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const file = Buffer.from('no sound');
const requests = {
  rerank: () => sampleRequest('rerank'),
  images: () => sampleRequest('openai-images', { image: undefined }),
  speech: () => sampleRequest('openai-speech'),
  transcription: () => formRequest('openai-transcription', { model: 'm', file, response_format: 'vtt' }),
  embeddings: () => sampleRequest('openai-embeddings'),
  chat: () => sampleRequest('openai-chat', { stream: true }),
  wholeChat: () => sampleRequest('openai-chat'),
};

/** Vendors whose dialects no client speaks, with the requests for them. */
const vendors: readonly (readonly [string, keyof typeof requests])[] = [
  ['cohere', 'rerank'],
  ['cohere', 'embeddings'],
  ['cohere', 'chat'],
  ['cohere', 'wholeChat'],
  ['coze', 'chat'],
  ['coze', 'wholeChat'],
  ['dify', 'chat'],
  ['dify', 'wholeChat'],
  ['elevenlabs', 'speech'],
  ['elevenlabs', 'transcription'],
  ['deepgram', 'speech'],
  ['deepgram', 'transcription'],
  ['azure-speech', 'speech'],
  ['minimax', 'speech'],
  ['stability', 'images'],
  ['ideogram', 'images'],
  ['fal', 'images'],
  ['bfl', 'images'],
  ['replicate', 'images'],
  ['kling', 'images'],
  ['midjourney', 'images'],
];

const names =
  'id type event delta message content text thinking tool_plan tool_calls function name arguments citations sources start end ' +
  'usage billed_units input_tokens output_tokens search_units finish_reason results index relevance_score meta embeddings float ' +
  'words transcript channels alternatives metadata duration audio data extra_info usage_characters image images url output status ' +
  'result sample polling_url answer retriever_resources prompt_tokens code msg last_error chat_id input_count language_code ' +
  'task_id task_status task_result imageUrl';
const known = fc.constantFrom(...names.split(' '));
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '12',
    -1,
    0.5,
    1e308,
    12,
    'succeeded',
    'starting',
    'Ready',
    'submitted',
    'SUCCESS',
    'word',
    'answer',
  ),
  fc.constantFrom(
    'message-start',
    'content-delta',
    'tool-call-start',
    'tool-call-delta',
    'citation-start',
    'message-end',
  ),
  fc.constantFrom('message', 'message_end', 'agent_thought', 'COMPLETE', 'ERROR', 'https://pictures.test/1', 'ff00'),
);
const { body } = fc.letrec<{ body: object; value: unknown }>((tie) => ({
  body: fc.dictionary(known, tie('value'), { maxKeys: 6 }),
  value: fc.oneof({ maxDepth: 4 }, leaf, tie('body'), fc.array(tie('value'), { maxLength: 3 })),
}));
const eventName = fc.constantFrom(
  '',
  'conversation.message.delta',
  'conversation.message.completed',
  'conversation.chat.completed',
  'conversation.chat.failed',
);

/** Reads any response to its end. */
function readAll(reader: ResponseReader, text: string): void {
  try {
    for (let at = 0; at < text.length; at += 40) reader.push(Buffer.from(text.slice(at, at + 40)));
    if (reader.nextPoll?.() === undefined) reader.end();
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
  }
}

/** Names of the vendors that take no other. */
const models: Readonly<Record<string, string>> = { replicate: 'owner/name', midjourney: 'mj_imagine' };

describe.each(vendors)('responses of %s to %s', (vendor, operation) => {
  const model = models[vendor] ?? 'vendor-model';
  const target = sampleTarget(vendor, { model });

  it('reads or refuses a response of any shape and counts whole numbers', () => {
    const isStream = planExchange(requests[operation](), target).isStreaming;
    fc.assert(
      fc.property(fc.array(fc.tuple(eventName, body), { minLength: 1, maxLength: 4 }), (events) => {
        const texts = events.map(([name, one]) => `event: ${name}\ndata: ${JSON.stringify(one)}\n\n`);
        const text = isStream ? texts.join('') : JSON.stringify(events[0]?.[1]);
        const type = isStream ? 'text/event-stream' : 'application/json';
        const reader = planExchange(requests[operation](), target).readResponse({ 'content-type': type });
        readAll(reader, text);
        const { usage } = reader.meter;
        for (const counter of usage === undefined ? [] : usageCounters)
          expect(Number.isSafeInteger(usage?.[counter]) && Number(usage?.[counter]) >= 0).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('sends or refuses a request with nonsense in its fields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('voice', 'speed', 'size', 'style', 'seed', 'top_n', 'x'), leaf),
        (more) => {
          const { json, ...request } = requests[operation]();
          try {
            planExchange({ ...request, json: { ...json, ...more } }, target);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidRequestError);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('an operation', () => {
  it('serves an operation only if it can be translated', () => {
    const target = sampleTarget('elevenlabs');
    expect(canServe(target, 'any', { operation: 'speech', format: 'openai-speech' })).toBe(true);
    expect(canServe(target, 'any', { operation: 'transcription', format: 'openai-translation' })).toBe(false);
    expect(canServe(target, 'any', { operation: 'chat', format: 'openai-chat' })).toBe(false);
  });

  it('refuses a stream from a vendor without streams', () => {
    expect(() =>
      planExchange(sampleRequest('openai-speech', { stream_format: 'sse' }), sampleTarget('elevenlabs')),
    ).toThrow(InvalidRequestError);
    expect(() =>
      planExchange(sampleRequest('openai-images', { image: undefined, stream: true }), sampleTarget('fal')),
    ).toThrow(InvalidRequestError);
  });
});

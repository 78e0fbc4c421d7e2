import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { DialectId } from '../model/dialect-id.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { usageCounters } from '../model/usage.ts';
import { formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const file = Buffer.alloc(100);
const requests: Partial<Record<DialectId, (stream: boolean) => ClientRequest>> = {
  'openai-images': (stream) => sampleRequest('openai-images', { stream }),
  'openai-image-edits': (stream) => sampleRequest('openai-image-edits', { stream }),
  'openai-image-variations': () => sampleRequest('openai-image-variations'),
  'openai-speech': (isStream) => sampleRequest('openai-speech', { stream_format: isStream ? 'sse' : 'audio' }),
  'openai-transcription': (stream) => formRequest('openai-transcription', { model: 'm', file, stream: String(stream) }),
  'openai-translation': () => formRequest('openai-translation', { model: 'm', file, response_format: 'text' }),
  'openai-moderation': () => sampleRequest('openai-moderation'),
  rerank: () => sampleRequest('rerank'),
};

const names =
  'data usage text type b64_json url size quality duration seconds meta input_tokens output_tokens ' +
  'input_tokens_details output_tokens_details input_token_details total_tokens text_tokens image_tokens ' +
  'audio_tokens billed_units tokens results delta audio';
const known = fc.constantFrom(...names.split(' '));
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', '12', 'auto', -1, 0.5, 1e308, 12),
  fc.constantFrom('image_generation.completed', 'transcript.text.done', 'speech.audio.done'),
);
const { body } = fc.letrec<{ body: object; value: unknown }>((tie) => ({
  body: fc.dictionary(known, tie('value'), { maxKeys: 6 }),
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('body'), fc.array(tie('value'), { maxLength: 3 })),
}));

/** Reads any response to its end. */
function readAll(reader: ResponseReader, text: string): void {
  try {
    for (let at = 0; at < text.length; at += 40) reader.push(Buffer.from(text.slice(at, at + 40)));
    reader.end();
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
  }
}

describe.each(Object.entries(requests))('a response of %s', (_, requestOf) => {
  it('reads or refuses a response of any shape and counts whole numbers', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(body, { minLength: 1, maxLength: 3 }), (isStream, bodies) => {
        const texts = bodies.map((one) => JSON.stringify(one));
        const text = isStream ? texts.map((one) => `data: ${one}\n\n`).join('') : (texts[0] ?? '');
        const type = isStream ? 'text/event-stream' : 'application/json';
        const exchange = planExchange(requestOf(isStream), sampleTarget('custom'));
        const reader = exchange.readResponse({ 'content-type': type });
        readAll(reader, text);
        const { usage } = reader.meter;
        for (const counter of usage === undefined ? [] : usageCounters)
          expect(Number.isSafeInteger(usage?.[counter]) && Number(usage?.[counter]) >= 0).toBe(true);
        expect(usage?.imageVariant ?? '').toMatch(/^[\w./-]{0,60}$/);
      }),
      { numRuns: 300 },
    );
  });
});

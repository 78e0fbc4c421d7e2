/** OpenAI's Responses streams, encoded from random responses, are valid and complete. */
import * as fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import {
  createStreamEncoder,
  encodeResponse,
} from '../../packages/relay/src/dialects/chat/openai-responses/encoders/response-builder.ts';
import { objectOf } from '../../packages/relay/src/json/json.ts';
import type { ResponseEvent } from '../../packages/relay/src/model/conversation.ts';
import { sampleRequest } from '../../packages/relay/src/testing/sample-requests.ts';
import { arbitraryResponse } from './random-answers.ts';
import { checkResponseEvents } from './response-events.ts';

const request = sampleRequest('openai-responses', {
  tools: [{ type: 'custom', name: 'sql' }],
  include: ['message.output_text.logprobs'],
});

function streamOf(events: readonly ResponseEvent[]): Buffer {
  const encoder = createStreamEncoder(request, new Set());
  return Buffer.from(events.map((event) => encoder.push(event)).join('') + encoder.end());
}

describe('for any response', () => {
  it('the stream is valid, and ends with the complete response', () => {
    fc.assert(
      fc.property(arbitraryResponse, (events) => {
        const bytes = streamOf(events);
        checkResponseEvents(bytes);
        const last = JSON.parse(bytes.toString('utf8').trim().split('\ndata: ').at(-1) ?? '');
        const differing = { id: 'resp_', created_at: 0, completed_at: 0 };
        const whole = objectOf(JSON.parse(encodeResponse(events, request, new Set())));
        expect({ ...last.response, ...differing }).toEqual({ ...whole, ...differing });
      }),
      { numRuns: 300 },
    );
  });

  it('OpenAI’s client reads it to the end, with the same result', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryResponse, async (events) => {
        const fetch = async (): Promise<Response> =>
          new Response(new Uint8Array(streamOf(events)), { headers: { 'content-type': 'text/event-stream' } });
        const client = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 });
        const { output } = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
        expect(output).toMatchObject(JSON.parse(encodeResponse(events, request, new Set())).output);
      }),
      { numRuns: 100 },
    );
  });
});

import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { Target } from '../model/provider.ts';
import type { Exchange } from '../model/upstream-exchange.ts';
import { rawRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planTokenCount } from './plan-token-count.ts';

const region = { region: 'us-east-1', accessKey: 'sample-secret-key', secretKey: '', sessionToken: '' };
const bedrock = (model: string): Target =>
  sampleTarget('bedrock', { credentials: region, baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com', model });
const vertex = (model: string): Target =>
  sampleTarget('vertex', {
    credentials: { key: '{"project_id":"p"}', accessToken: 'token' },
    options: { location: 'us-east5' },
    baseUrl: 'https://us-east5-aiplatform.googleapis.com',
    model,
  });

function question(): ReturnType<typeof rawRequest> {
  const body = { model: 'claude', messages: [{ role: 'user', content: 'hi' }] };
  return rawRequest('anthropic-messages', JSON.stringify(body), { 'anthropic-beta': 'effort-2025-11-24' });
}

function answered(exchange: Exchange | undefined, json: unknown): string {
  const reader = exchange?.readResponse();
  reader?.push(Buffer.from(JSON.stringify(json)));
  return reader?.end().toString() ?? '';
}

describe('planTokenCount', () => {
  test('uses the model without its region prefix at Bedrock, in Anthropic’s dialect', () => {
    const exchange = planTokenCount(question(), bedrock('us.anthropic.claude-haiku-4-5-20251001-v1:0'));
    expect(exchange?.url).toBe(
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/count-tokens',
    );
    const { input } = JSON.parse(String(exchange?.body));
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
      messages: [{ role: 'user', content: 'hi' }],
      anthropic_beta: ['effort-2025-11-24'],
    });
    expect(exchange?.headers).not.toContain('anthropic-beta');
    expect(JSON.parse(answered(exchange, { inputTokens: 8 }))).toEqual({ input_tokens: 8 });
    expect(() => answered(exchange, { tokens: 8 })).toThrow(UpstreamError);
  });

  test('sends the model in the body to Vertex', () => {
    const exchange = planTokenCount(question(), vertex('claude-haiku-4-5@20251001'));
    expect(exchange?.url).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict',
    );
    expect(JSON.parse(String(exchange?.body))).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      model: 'claude-haiku-4-5@20251001',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answered(exchange, { input_tokens: 8 })).toBe('{"input_tokens":8}');
  });

  test('counts Gemini’s tokens at Vertex', () => {
    const exchange = planTokenCount(sampleRequest('gemini'), vertex('gemini-2.5-flash'));
    expect(exchange?.url).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east5/publishers/google/models/gemini-2.5-flash:countTokens',
    );
    expect(answered(exchange, { totalTokens: 2 })).toBe('{"totalTokens":2}');
  });

  test('plans no vendor request for other models, whose tokens are counted locally', () => {
    expect(planTokenCount(question(), bedrock('amazon.nova-lite-v1:0'))).toBeUndefined();
    expect(planTokenCount(question(), vertex('meta/llama-4'))).toBeUndefined();
    expect(planTokenCount(sampleRequest('openai-responses'), bedrock('claude'))).toBeUndefined();
  });
});

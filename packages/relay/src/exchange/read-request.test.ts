import { describe, expect, it } from 'vitest';
import type { DialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { emptyUsage } from '../model/usage.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { rawRequest, sampleRequest } from '../testing/sample-requests.ts';
import { readParsedRequest, readRequest } from './read-request.ts';

const messages = '"messages":[{"role":"user","content":"hi"}]';

function tokens(content: unknown): number {
  return sampleRequest('openai-chat', { messages: [{ role: 'user', content }] }).facts.inputTokensEstimate;
}

describe('readRequest', () => {
  it('reads the facts for admission', () => {
    const { facts } = sampleRequest('openai-chat', { stream: true, n: 2, max_completion_tokens: 50, tools: [{}] });
    expect(facts).toMatchObject({
      model: 'vendor-model',
      stream: true,
      choices: 2,
      maxOutputTokens: 50,
      hasTools: true,
    });
  });

  it.each<[what: string, content: unknown, body: object, facts: object]>([
    ['plain text', 'hi', {}, { cacheLifetime: undefined, audioTokensEstimate: undefined }],
    [
      'a part to cache',
      [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
      {},
      { cacheLifetime: '5m' },
    ],
    [
      'a tool to cache for an hour',
      'hi',
      { tools: [{ name: 'f', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      { cacheLifetime: '1h' },
    ],
    [
      'the longest of several lifetimes',
      [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      { cache_control: { type: 'ephemeral' } },
      { cacheLifetime: '1h' },
    ],
    ['a cache mark that is off', 'hi', { cache_control: null }, { cacheLifetime: undefined }],
    [
      'a recording',
      [{ type: 'input_audio', input_audio: { data: 'A'.repeat(3_200), format: 'mp3' } }],
      {},
      { audioTokensEstimate: 3 },
    ],
    [
      'a file with a recording',
      [{ type: 'file', file: { file_data: `data:audio/mp3;base64,${'A'.repeat(1_000)}` } }],
      {},
      { audioTokensEstimate: 3 },
    ],
  ])('reads the facts for the hold: %s', (_what, content, body, expected) => {
    const { facts } = sampleRequest('openai-chat', { messages: [{ role: 'user', content }], ...body });
    const { cacheLifetime, audioTokensEstimate } = facts;
    expect({ cacheLifetime, audioTokensEstimate }).toMatchObject(expected);
  });

  it.each([
    ['{"model":', 'is not valid JSON: Unexpected end of JSON input.'],
    ['{"model":"a" "secret":1}', "is not valid JSON: Expected ',' or '}' after property value in JSON at position 13."],
    ['', 'The request body is empty. Send JSON.'],
    ['{"model":secret}', "is not valid JSON: Unexpected token 's' in JSON at position 9."],
    [`{"model":"a",${messages},"n":secret}`, `Unexpected token 's' in JSON at position ${18 + messages.length}.`],
    [`{"model":"a",${messages},"n":]`, `Unexpected token ']' in JSON at position ${18 + messages.length}.`],
    [`{\n  "n": tru,\n  ${messages}\n}`, "Unexpected token ',' in JSON at position 12 (line 2 column 11)."],
    [
      `{\n  ${messages},\r\n  "x": ?}`,
      `Unexpected token '?' in JSON at position ${14 + messages.length} (line 3 column 8).`,
    ],
    [`{\n  "n": 1 "secret": 2, ${messages} }`, 'JSON at position 11 (line 2 column 10).'],
    ['{"model":12345678901234567890,', 'is not valid JSON.'],
    ['[]', 'must be a JSON object, not an array.'],
    [`{${messages}}`, 'You must provide a model parameter. GET /v1/models lists your models.'],
    [`{"model":"",${messages}}`, 'model'],
    [`{"model":"${'x'.repeat(300)}",${messages}}`, 'longer than 256 characters'],
    [`{"model":"a\\u0000",${messages}}`, 'null character'],
    [`{"model":"a\\ud800",${messages}}`, 'null character'],
    [`{"model":"a","model":"b",${messages}}`, 'more than once'],
    [`{"model":"a",${messages},"max_tokens":9,"max_tokens":1}`, 'max_tokens is given more than once'],
    [`{"model":"a",${messages},"n":4,"\\u006e":1}`, 'n is given more than once'],
    [`{"model":"a",${messages},${messages}}`, 'messages is given more than once'],
    [`{"model":"a",${messages},"__proto__":1,"__proto__":2}`, '__proto__ is given more than once'],
    ['{"model":"a","messages":[{"role":"user","content":"a","content":"b"}]}', 'content is given more than once'],
    [`{"model":"a",${messages},"reasoning":{"effort":"high","effort":"low"}}`, 'effort is given more than once'],
    [`{"model":"a",${messages},"x":[[{"y":{"n":1,"m":{"n":2},"\u006e":3}}]]}`, 'n is given more than once'],
    [`{"model":"a",${messages},"x":[{"__proto__":{},"__proto__":{}}]}`, '__proto__ is given more than once'],
    [`{"model":"a",${messages},"inference_geo":"us"}`, 'inference_geo can only be "global"'],
    [`{"model":"a",${messages},"inference_geo":["global"]}`, 'inference_geo can only be "global"'],
    [`{"model":"a",${messages},"extra_body":{"inference_geo":"us"}}`, 'inference_geo can only be "global"'],
    [
      `{"model":"a",${messages},"extra_body":{"extra_body":{"inference_geo":"us"}}}`,
      'inference_geo can only be "global"',
    ],
    ['{"model":"a"}', 'messages'],
    ['{"model":"a","messages":{}}', 'messages must be an array, not an object.'],
    ['{"model":"a","messages":"a prompt"}', 'messages must be an array, not a string.'],
    ['{"model":"a","messages":[]}', 'must not be empty'],
    [`{"model":"a",${messages},"stream":"yes"}`, 'stream must be a boolean, not "yes".'],
    [`{"model":"a",${messages},"max_tokens":-1}`, 'max_tokens must be an integer between 0 and 10000000, not -1.'],
    [`{"model":"a",${messages},"max_tokens":1e12}`, 'not 1000000000000.'],
    [`{"model":"a",${messages},"max_tokens":"5"}`, 'not "5".'],
    [`{"model":"a",${messages},"max_tokens":["5"]}`, 'not an array.'],
    [`{"model":"a",${messages},"max_tokens":"${'5'.repeat(100)}"}`, `not "${'5'.repeat(80)}…".`],
    [`{"model":"a",${messages},"n":0}`, 'n must'],
    [`{"model":"a",${messages},"n":1000}`, 'n must'],
    [`{"model":"a",${messages},"x":${'['.repeat(100)}${']'.repeat(100)}}`, 'deeper than 64'],
    [`{"model":"a","messages":[${'{},'.repeat(100_000)}{}]}`, 'more than 100,000 objects'],
    [`{"model":"a",${messages},"Model":"b"}`, 'Model must be written model'],
    [`{"model":"a",${messages},"MAX_TOKENS":9}`, 'MAX_TOKENS must be written max_tokens'],
    [`{"model":"a",${messages},"max_to\u212Aens":9}`, 'max_to?ens must be written max_tokens'],
    [`{"model":"a",${messages},"\u017Ftream":true}`, '?tream must be written stream'],
    [
      `{"model":"a",${messages},"stream_options":{"include_usage":true,"Include_Usage":false}}`,
      'stream_options.Include_Usage must be written include_usage',
    ],
    [`{"model":"a",${messages},"tools":[{"Type":"web_search"}]}`, 'tools.Type must be written type'],
    [
      `{"model":"a",${messages},"extra_body":{"google":{"ThinkingConfig":{}}}}`,
      'extra_body.google.ThinkingConfig must be written thinkingConfig',
    ],
    [`{"model":"a",${messages},"thinking":{"budget_to\u212Aens":9}}`, 'budget_to?ens must be written budget_tokens'],
    [`{"model":"a",${messages},"Enable_Search":true}`, 'Enable_Search must be written enable_search'],
    [`{"model":"a",${messages},"Service_Tier":"priority"}`, 'must be written service_tier'],
  ])('refuses an invalid request %#', (body, message) => {
    expect(() => rawRequest('openai-chat', body)).toThrow(InvalidRequestError);
    expect(() => rawRequest('openai-chat', body)).toThrow(message);
  });

  it('accepts any spelling of names that the client chooses', () => {
    const parameters = { type: 'object', properties: { Type: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    const own = { inputs: { Type: 'x' }, variables: { Effort: 'y' }, metadata: { Tools: 'z' }, tools };
    expect(() => sampleRequest('openai-chat', own)).not.toThrow();
  });

  it.each<[format: DialectId, field: string]>([
    ['openai-speech', 'input'],
    ['openai-speech', 'instructions'],
    ['openai-speech', 'voice'],
    ['openai-images', 'prompt'],
    ['openai-image-edits', 'prompt'],
    ['openai-videos', 'prompt'],
    ['openai-video-remix', 'prompt'],
    ['video-generations', 'prompt'],
    ['kling-videos', 'prompt'],
    ['kling-videos', 'negative_prompt'],
    ['suno', 'gpt_description_prompt'],
  ])('refuses in a request of %s a %s that is longer than any vendor takes', (format, field) => {
    const request = (length: number) => sampleRequest(format, { [field]: '&'.repeat(length) });
    expect(request(100_000).json[field]).toHaveLength(100_000);
    expect(() => request(100_001)).toThrow(`${field} has 100,001 characters. Send at most 100,000.`);
  });

  it('reads a parsed submission again in milliseconds when its origin is known', () => {
    const route = { operation: 'drawing', format: 'midjourney', submission: { path: 'submit/change' } } as const;
    const values = Array.from({ length: 450_000 }, () => 1);
    const body = Buffer.from(
      JSON.stringify({ action: 'UPSCALE', index: 1, taskId: 'x', input: values, filler: values }),
    );
    const request = readRequest(route, body, { 'openai-beta': 'a' });
    const origin = {
      upstreamId: 'y',
      model: 'mj_relax_imagine',
      request: { prompt: 'a cat' },
      said: {},
      usage: emptyUsage(),
    };
    const readCpuMs = startCpuTimer();
    const again = readParsedRequest({ ...route, submission: { ...route.submission, origin } }, request);
    expect(readCpuMs()).toBeLessThan(20);
    expect(again.facts.model).toBe('mj_relax_upscale');
    expect(again).toMatchObject({ headers: request.headers, submission: { origin, originId: 'x' } });
  });

  it('accepts the same field in another object, and one that is null', () => {
    const nested = '"metadata":{"model":"b","n":1,"a":[1,2,{"n":2}]},"inference_geo":null,"a b":",\\",{"';
    expect(rawRequest('openai-chat', `{"model":"a",${messages},${nested}}`).facts.model).toBe('a');
  });

  it.each<[field: string, body: (text: string) => object]>([
    ['name', (name) => ({ tools: [{ type: 'function', function: { name } }] })],
    ['tool_call_id', (tool_call_id) => ({ messages: [{ role: 'tool', tool_call_id, content: '' }] })],
    ['required', (text) => ({ tools: [{ parameters: { type: 'object', required: ['a', text] } }] })],
    ['type', (text) => ({ tools: [{ parameters: { type: ['object', text] } }] })],
    ['$ref', (text) => ({ tools: [{ parameters: { properties: { a: { $ref: text } } } }] })],
    ['responseModalities', (text) => ({ generationConfig: { responseModalities: [text] } })],
  ])('refuses a long text in a large body, if it becomes a key of a map: %s', (field, body) => {
    const large = { user: 'x'.repeat(1_048_576) };
    sampleRequest('openai-chat', { ...large, ...body('n'.repeat(16_000)) });
    const message = `${field} has 16,001 characters. Send at most 16,000.`;
    expect(() => sampleRequest('openai-chat', { ...large, ...body('n'.repeat(16_001)) })).toThrow(message);
    expect(() => sampleRequest('openai-chat', { ...large, user: 'x'.repeat(2_000_000) })).not.toThrow();
  });

  it('reads the prompt of each dialect', () => {
    expect(() => rawRequest('openai-embeddings', '{"model":"a"}')).toThrow('input');
    expect(() => rawRequest('openai-embeddings', '{"model":"a","input":"x","stream":true}')).toThrow(
      'This endpoint does not support streaming. Omit stream, or set it to false.',
    );
    expect(() => rawRequest('openai-completions', '{"model":"a"}')).toThrow('prompt');
    expect(() => rawRequest('anthropic-messages', '{"model":"a"}')).toThrow('messages');
    expect(() => rawRequest('openai-responses', '{"model":"a"}')).toThrow('input');
    expect(() => rawRequest('openai-responses', '{"model":"a","input":{}}')).toThrow(
      'input must be a string or an array, not an object.',
    );
    expect(rawRequest('openai-responses', '{"model":"a","previous_response_id":"x"}').facts.choices).toBe(1);
  });

  it('reads the cap and the tools of a Responses request', () => {
    const fields = { max_output_tokens: 7, tools: [{ type: 'web_search' }] };
    expect(sampleRequest('openai-responses', fields).facts).toMatchObject({ maxOutputTokens: 7, hasTools: true });
    expect(() => sampleRequest('openai-responses', { max_output_tokens: -1 })).toThrow('max_output_tokens');
  });

  it.each(['Input', 'Instructions', 'Previous_Response_Id', 'Reasoning', 'Background'])(
    'refuses %s, which some upstreams would read',
    (field) => {
      expect(() => sampleRequest('openai-responses', { [field]: 'x' })).toThrow('must be written');
    },
  );

  it('counts one response per prompt of a list', () => {
    expect(sampleRequest('openai-completions', { prompt: ['a', 'b', 'c'], n: 2 }).facts.choices).toBe(6);
    expect(sampleRequest('openai-completions', { prompt: [1, 2, 3] }).facts.choices).toBe(1);
  });

  it('forwards only the allowed headers', () => {
    const headers = { 'anthropic-beta': 'x', authorization: 'Bearer secret', cookie: 'c', 'user-agent': 'u' };
    expect(rawRequest('anthropic-messages', `{"model":"a",${messages}}`, headers).headers).toEqual({
      'anthropic-beta': 'x',
    });
  });

  it('estimates the prompt by script, and files at a flat rate', () => {
    const base = tokens('');
    expect(tokens('word '.repeat(1_000)) - base).toBe(1_250);
    expect(tokens('字'.repeat(1_500)) - base).toBe(1_000);
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } };
    expect(tokens([image])).toBeLessThan(1_100);
  });

  it('ignores an image type inside a tool’s schema', () => {
    const long = 'x'.repeat(8_000);
    const schema = { type: 'object', properties: { image: { type: 'image', description: long } } };
    const { facts } = sampleRequest('openai-chat', { tools: [{ type: 'function', function: { parameters: schema } }] });
    expect(facts.inputTokensEstimate).toBeGreaterThan(2_000);
  });
});

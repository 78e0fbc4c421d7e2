import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import type { ClientRequest } from './client-request.ts';
import { sanitizeMeter } from './plausible-usage.ts';
import { emptyUsage, type Usage } from './usage.ts';
import { WritableMeter } from './usage-meter.ts';

const jina = sampleTarget('jina', { model: 'jina-embeddings-v4' });
const embed = (...input: unknown[]): ClientRequest => sampleRequest('openai-embeddings', { input });
const rank = (...documents: unknown[]): ClientRequest => sampleRequest('rerank', { query: 'cat', documents });

function believedUsage(request: ClientRequest, total_tokens: number): Usage | undefined {
  const reader = planExchange(request, jina).readResponse();
  const results = [{ index: 0, relevance_score: 0.5, embedding: [0.5] }];
  const list = request.operation === 'rerank' ? { results } : { data: results };
  reader.push(Buffer.from(JSON.stringify({ ...list, usage: { prompt_tokens: total_tokens, total_tokens } })));
  reader.end();
  return sanitizeMeter(request, reader.meter).usage;
}

describe.each([
  ['embeddings', embed],
  ['rankings', rank],
] as const)('the reported tokens of %s', (_, ask) => {
  it.each<[string, unknown]>([
    ['the address of an image', { image: 'https://a.test/b.jpg' }],
    ['an image as base64', { image: 'iVBORw0KGgo=' }],
    ['an image as a data URL', { image: 'data:image/png;base64,iVBORw0KGgo=' }],
    ['a document', { pdf: 'https://a.test/b.pdf' }],
    ['a recording', { audio: 'https://a.test/b.mp3' }],
    ['a video', { video: 'https://a.test/b.mp4' }],
    ['a part with a type', { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
    ['parts of one item', { content: [{ text: 'a' }, { image: 'iVBORw0KGgo=' }] }],
    ['a text with an image', { text: 'a', image: 'iVBORw0KGgo=' }],
    ['a field that only the vendor knows', { points: 'https://a.test/cloud' }],
  ])('are believed for %s', (_name, item) => {
    const usage = believedUsage(ask({ text: 'a' }, item), 1_000_000);
    expect(usage?.input).toBe(1_000_000);
    expect(usage?.implausible).toBeUndefined();
    expect(believedUsage(ask(item), 100_000_000)?.implausible).toEqual(['input']);
  });

  it.each<[string, unknown]>([
    ['a text', 'a'],
    ['a text in an object', { text: 'a' }],
    ['a part of text', { type: 'text', text: 'a' }],
  ])('are not believed beyond the size of %s', (_name, item) => {
    expect(believedUsage(ask(item), 1_000_000)).toMatchObject({ input: 0, implausible: ['input'] });
  });
});

const MILLION = 1_000_000;

/** Returns the charged prompt tokens for a report of a number; 0 if it counts as not reported. */
function chargedPrompt(request: ClientRequest, input: number): number {
  const meter = new WritableMeter();
  meter.usage = { ...emptyUsage(), input, output: 5 };
  return sanitizeMeter(request, meter).usage?.input ?? 0;
}

describe('a large prompt that the vendor truly reads', () => {
  const rare = 'ʘǂǁǀɧɮ'.repeat(2);
  const rareNames = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${rare}${1_000 + nth}`, 0]));
  const chat = (fields: object): ClientRequest => sampleRequest('openai-chat', { ...fields });
  const newFunction = (schema: object) => [{ type: 'function', function: { name: 'f', parameters: schema } }];

  it.each<[what: string, request: ClientRequest, tokens: number]>([
    [
      'items of Responses by their ids',
      sampleRequest('openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }),
      MILLION,
    ],
    ['reasoning by its id', sampleRequest('openai-responses', { input: [{ type: 'reasoning', id: 'rs_1' }] }), MILLION],
    ['speech by its id', chat({ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }), MILLION],
    ['a fetched address', sampleRequest('gemini', { tools: [{ urlContext: {} }] }), MILLION],
    ['one tool that fetches', sampleRequest('gemini', { tools: { urlContext: {} } }), MILLION],
    ['a tool with a name', sampleRequest('gemini', { tools: [{ name: 'x', urlContext: {} }] }), MILLION],
    ['a tool with a type', sampleRequest('gemini', { tools: [{ type: 'function', url_context: {} }] }), MILLION],
    ['a tool of a merged body', chat({ extra_body: { tools: [{ type: 'web_search' }] } }), MILLION],
    ['a switch of a merged body', chat({ extra_body: { enable_search: true } }), MILLION],
    ['names of rare letters', chat({ tools: newFunction({ a: rareNames(9_000), b: rareNames(9_000) }) }), 650_000],
    ['escaped rare letters', chat({ tools: newFunction({ enum: [rare.repeat(10_000)] }) }), 600_000],
    ['rare letters', chat({ messages: [{ role: 'user', content: '\u{13000}'.repeat(250_000) }] }), MILLION],
    ['long integers', chat({ tools: newFunction({ enum: Array.from({ length: 1_000 }, () => 1e300) }) }), 300_000],
    ['empty lists', chat({ tools: newFunction({ enum: Array.from({ length: 90_000 }, () => []) }) }), 270_000],
  ])('is charged in full: %s', (_, request, tokens) => {
    expect(chargedPrompt(request, tokens)).toBe(tokens);
  });
});

describe('a prompt beyond any plausible size', () => {
  const links = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }];

  it.each([20, 60, 99])(
    'is charged as the bound if the vendor reads more than the request has: %i million',
    (count) => {
      for (const request of [
        sampleRequest('openai-chat', { messages: links }),
        sampleRequest('gemini', { tools: { urlContext: {} } }),
        sampleRequest('openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }),
      ])
        expect(chargedPrompt(request, count * MILLION) / MILLION).toBeCloseTo(10, 0);
    },
  );

  it('counts a report that is no number of tokens as none', () => {
    expect(chargedPrompt(sampleRequest('openai-chat', { messages: links }), 100 * MILLION)).toBe(0);
  });

  it.each([MILLION, 20 * MILLION, 100 * MILLION])('is not charged for a short text: %i', (reported) => {
    for (const format of ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'] as const)
      expect(chargedPrompt(sampleRequest(format), reported)).toBe(0);
  });

  it('charges an image by its size, not by its bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(4 * MILLION)}`;
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    expect(chargedPrompt(sampleRequest('openai-chat', { messages }), MILLION)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Usage } from '../model/usage.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { sanitizeMeter } from './plausible-usage.ts';

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

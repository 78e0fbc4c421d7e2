import type { ClientRequest } from './client-request.ts';
import { counterOf } from './count-request.ts';
import type { FormatId, Operation } from './format-id.ts';
import type { Provider, Target } from './provider.ts';
import { readRequest } from './read-request.ts';

const embeddingModel = /embed|^(bge|gte|e5|m3e|voyage)[-_]/i;
/** OpenAI's own that are left of the legacy endpoint; other models called "instruct" chat. */
const completionModel = /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;
/** Enough for a word from any model; some vendors refuse less. */
const TEST_OUTPUT_TOKENS = 16;

const speechModel = /^(tts-|gpt-\S+-tts)/i;
const moderationModel = /moderation/i;
const rerankModel = /rerank/i;

/** What is asked of a vendor that does not do what a model's name says, the cheapest first. */
const others: readonly (readonly [Operation, FormatId, Record<string, unknown>])[] = [
  ['speech', 'openai-speech', { input: 'hi', voice: 'alloy' }],
  ['rerank', 'rerank', { query: 'hi', documents: ['hi'] }],
  ['embeddings', 'openai-embeddings', { input: 'hi' }],
  ['images', 'openai-images', { prompt: 'a grey square' }],
];

/** The smallest sensible request that shows whether a channel serves a model. @param provider of the channel */
export function testRequest(model: string, provider?: Pick<Provider, 'speaks'>): ClientRequest {
  const request = byName(model);
  if (provider === undefined || provider.speaks[request.operation] !== undefined) return request;
  const other = others.find(([operation]) => provider.speaks[operation] !== undefined);
  return other === undefined ? request : build(other[0], other[1], { model, ...other[2] });
}

/** One whose tokens the vendor counts for nothing; undefined where it counts none of this model. */
export function countTestRequest(model: string, target: Target): ClientRequest | undefined {
  if (byName(model).operation !== 'chat') return undefined;
  const counted = counting.find(([format]) => counterOf(target, format) !== undefined);
  if (counted === undefined) return undefined;
  const [format, body] = counted;
  // Gemini's requests name their model in the address.
  return build('chat', format, format === 'gemini' ? body : { ...body, model }, model);
}

const counting: readonly (readonly [FormatId, Record<string, unknown>])[] = [
  ['anthropic-messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }],
  ['openai-responses', { input: 'hi' }],
  ['gemini', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
];

function byName(model: string): ClientRequest {
  if (moderationModel.test(model)) return build('moderation', 'openai-moderation', { model, input: 'hi' });
  if (rerankModel.test(model)) return build('rerank', 'rerank', { model, query: 'hi', documents: ['hi'] });
  if (speechModel.test(model))
    return build('speech', 'openai-speech', { model, input: 'hi', voice: 'alloy' });
  if (embeddingModel.test(model)) return build('embeddings', 'openai-embeddings', { model, input: 'hi' });
  const cap = { max_tokens: TEST_OUTPUT_TOKENS };
  if (completionModel.test(model)) {
    return build('completions', 'openai-completions', { model, prompt: 'hi', ...cap });
  }
  return build('chat', 'openai-chat', { model, messages: [{ role: 'user', content: 'hi' }], ...cap });
}

function build(
  operation: ClientRequest['operation'],
  format: ClientRequest['format'],
  body: Record<string, unknown>,
  model?: string,
): ClientRequest {
  return readRequest(
    { operation, format, ...(model === undefined ? {} : { model }) },
    Buffer.from(JSON.stringify(body)),
    {},
  );
}

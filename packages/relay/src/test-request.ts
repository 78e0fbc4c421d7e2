import type { ClientRequest } from './client-request.ts';
import { readRequest } from './read-request.ts';

const embeddingModel = /embed|^(bge|gte|e5|m3e|voyage)[-_]/i;
/** OpenAI's own that are left of the legacy endpoint; other models called "instruct" chat. */
const completionModel = /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;
/** Enough for a word from any model; some vendors refuse less. */
const TEST_OUTPUT_TOKENS = 16;

const speechModel = /^(tts-|gpt-\S+-tts)/i;
const moderationModel = /moderation/i;
const rerankModel = /rerank/i;

/** The smallest sensible request that shows whether a channel serves a model. */
export function testRequest(model: string): ClientRequest {
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
): ClientRequest {
  return readRequest({ operation, format }, Buffer.from(JSON.stringify(body)), {});
}

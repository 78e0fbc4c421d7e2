import { listOf, objectOf, parseNumber, textOf } from '../json/json.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * Cloudflare supports Responses for OpenAI's models only.
 * https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
 */
export const cloudflare = createOpenaiCompatible({
  id: 'cloudflare',
  label: 'Cloudflare Workers AI',
  channelType: 35,
  website: 'https://dash.cloudflare.com',
  baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{accountId}/ai',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: '/v1/chat/completions' },
      { format: 'openai-responses', path: '/v1/responses', serves: ({ model }) => model.includes('/gpt-oss-') },
    ],
    embeddings: [{ format: 'openai-embeddings', path: '/v1/embeddings' }],
  },
  credentials: [
    { name: 'accountId', required: true },
    { name: 'key', required: true },
  ],
  testModel: '@cf/meta/llama-3.1-8b-instruct-fast',
  // The free daily allocation is exhausted. https://developers.cloudflare.com/workers-ai/platform/errors/
  readError: (_status, body) =>
    listOf(objectOf(body)['errors']).some((error) => [3036, 4006].includes(parseNumber(objectOf(error)['code']) ?? 0))
      ? 'out-of-credit'
      : undefined,
  listModels: {
    path: () => '/models/search?per_page=1000',
    read: (body) => listOf(objectOf(body)['result']).flatMap((model) => textOf(objectOf(model)['name']) ?? []),
  },
});

import { openaiModelIds } from '../model-list.ts';
import { apiOption, chatEndpoints } from '../openai-endpoints.ts';
import { openaiSurfaces, realtimeAt } from '../openai-surfaces.ts';
import type { Provider } from '../provider.ts';

/** Any server that speaks OpenAI's dialects: vLLM, SGLang, LM Studio, llama.cpp, other gateways. */
export const custom: Provider = {
  id: 'custom',
  label: 'Custom (OpenAI compatible)',
  channelType: 8,
  website: '',
  speaks: {
    chat: chatEndpoints('/v1/chat/completions', '/v1/responses', 'chat'),
    completions: [{ format: 'openai-completions', path: '/v1/completions' }],
    embeddings: [{ format: 'openai-embeddings', path: '/v1/embeddings' }],
    ...openaiSurfaces,
    realtime: realtimeAt('/v1/realtime'),
    rerank: [{ format: 'rerank', path: '/v1/rerank' }],
  },
  credentials: [{ name: 'key', required: false }],
  options: [apiOption('chat')],
  authorize: ({ credentials }) => {
    const key = credentials['key'];
    return key ? { authorization: `Bearer ${key}` } : {};
  },
  listModels: { path: () => '/v1/models', read: openaiModelIds },
};

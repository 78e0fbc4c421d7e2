import { bearer } from '../bearer.ts';
import { openaiModelIds } from '../model-list.ts';
import { apiOption, chatEndpoints } from '../openai-endpoints.ts';
import { openaiSurfaces, realtimeAt, surfacesBelow } from '../openai-surfaces.ts';
import type { Provider } from '../provider.ts';

/** Any server that speaks OpenAI's dialects: vLLM, SGLang, LM Studio, llama.cpp, other gateways. */
export const custom: Provider = {
  id: 'custom',
  label: 'Custom (OpenAI compatible)',
  channelType: 8,
  website: '',
  speaks: {
    ...surfacesBelow('/v1', [...openaiSurfaces, 'rerank']),
    chat: chatEndpoints('/v1/chat/completions', '/v1/responses', 'chat'),
    realtime: realtimeAt('/v1/realtime'),
  },
  credentials: [{ name: 'key', required: false }],
  options: [apiOption('chat')],
  authorize: bearer,
  listModels: { path: () => '/v1/models', read: openaiModelIds },
};

import { bearer } from '../bearer.ts';
import { openaiModelIds } from '../model-list.ts';
import { apiOption, chatEndpoints } from '../openai-endpoints.ts';
import { openaiSurfaces, realtimeAt, surfacesBelow } from '../openai-surfaces.ts';
import { atOwnPaths, ownModelsPath, pathOptions } from '../own-paths.ts';
import type { Provider } from '../provider.ts';

/** Any server that speaks OpenAI's dialects, at OpenAI's paths or at others. */
export const custom: Provider = {
  id: 'custom',
  label: 'Custom (OpenAI compatible)',
  channelType: 8,
  website: '',
  speaks: atOwnPaths({
    ...surfacesBelow('/v1', [...openaiSurfaces, 'rerank']),
    chat: chatEndpoints('/v1/chat/completions', '/v1/responses', 'chat'),
    realtime: realtimeAt('/v1/realtime'),
  }),
  credentials: [{ name: 'key', required: false }],
  options: [apiOption('chat'), ...pathOptions],
  authorize: bearer,
  listModels: { path: ownModelsPath, read: openaiModelIds },
};

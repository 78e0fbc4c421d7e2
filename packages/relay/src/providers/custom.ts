import { authOption, ownSignIn } from '../auth/own-sign-in.ts';
import type { Provider, ProviderField } from '../model/provider.ts';
import { openaiModelIds } from '../provider-kit/model-list.ts';
import { apiOption, chatEndpoints } from '../provider-kit/openai-endpoints.ts';
import {
  openaiSurfaces,
  realtimeAt,
  surfacesBelow,
  videosAtOpenai,
} from '../provider-kit/openai-surfaces.ts';
import { atOwnPaths, atOwnVideosPath, ownModelsPath, pathOptions } from '../provider-kit/own-paths.ts';

/** Sends Anthropic's `cache_control` as clients of Chat Completions write it, for clients of all dialects, or never. */
const cacheMarksOption: ProviderField = {
  name: 'cacheMarks',
  required: false,
  choices: ['as-asked', 'on', 'off'],
};

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
    videos: videosAtOpenai.filter(({ format }) => format === 'openai-videos'),
  }),
  credentials: [{ name: 'key', required: false }],
  options: [apiOption('chat'), authOption(), cacheMarksOption, ...pathOptions],
  ...ownSignIn,
  orderPath: atOwnVideosPath,
  listModels: { path: ownModelsPath, read: openaiModelIds },
};

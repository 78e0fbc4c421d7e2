import type { Provider } from '../model/provider.ts';
import { openaiModelIds } from '../provider-kit/model-list.ts';
import { apiOption, chatEndpoints } from '../provider-kit/openai-endpoints.ts';
import {
  openaiSurfaces,
  realtimeAt,
  surfacesBelow,
  videosAtOpenai,
} from '../provider-kit/openai-surfaces.ts';
import { plainModelFields, reasoningModelFields } from '../provider-kit/quirks.ts';
import { batchesOption } from '../provider-kit/vendor-batches.ts';

/** https://platform.openai.com/docs/api-reference */
export const openai: Provider = {
  id: 'openai',
  label: 'OpenAI',
  channelType: 1,
  website: 'https://platform.openai.com',
  baseUrl: 'https://api.openai.com',
  speaks: {
    ...surfacesBelow('/v1', openaiSurfaces),
    chat: chatEndpoints('/v1/chat/completions', '/v1/responses'),
    realtime: realtimeAt('/v1/realtime'),
    videos: videosAtOpenai,
  },
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [
    apiOption('both'),
    { name: 'organization', required: false, placeholder: 'org-…' },
    { name: 'project', required: false, placeholder: 'proj_…' },
    batchesOption,
  ],
  testModel: 'gpt-4o-mini',
  authorize: ({ credentials, options }) => ({
    authorization: `Bearer ${credentials['key'] ?? ''}`,
    ...(options['organization'] && { 'openai-organization': options['organization'] }),
    ...(options['project'] && { 'openai-project': options['project'] }),
  }),
  countsTokens: { 'openai-responses': '/v1/responses/input_tokens' },
  batchesAt: '/v1',
  quirks: [reasoningModelFields, plainModelFields],
  listModels: { path: () => '/v1/models', read: openaiModelIds },
};

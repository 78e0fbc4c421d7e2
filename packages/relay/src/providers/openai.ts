import type { Provider } from '../model/provider.ts';
import {
  createApiOption,
  createChatEndpoints,
  createEndpoints,
  createRealtimeEndpoints,
  openaiEndpointTypes,
  openaiVideoEndpoints,
} from '../provider-kit/openai-compatible.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';
import { adaptReasoningModelFields, dropReasoningFields } from '../provider-kit/shared-vendor-quirks.ts';
import { batchesOption } from '../provider-kit/vendor-batches.ts';

/** https://platform.openai.com/docs/api-reference */
export const openai: Provider = {
  id: 'openai',
  label: 'OpenAI',
  channelType: 1,
  website: 'https://platform.openai.com',
  baseUrl: 'https://api.openai.com',
  endpoints: {
    ...createEndpoints('/v1', openaiEndpointTypes),
    chat: createChatEndpoints('/v1/chat/completions', '/v1/responses'),
    realtime: createRealtimeEndpoints('/v1/realtime'),
    videos: openaiVideoEndpoints,
  },
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [
    createApiOption('both'),
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
  tokenCountEndpoints: { 'openai-responses': '/v1/responses/input_tokens' },
  batchBaseUrl: '/v1',
  quirks: [adaptReasoningModelFields, dropReasoningFields],
  listModels: { path: () => '/v1/models', read: readOpenaiModelIds },
};

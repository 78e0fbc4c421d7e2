import { createAuthOption, customSignIn } from '../auth/upstream-credentials.ts';
import type { Provider, ProviderField } from '../model/provider.ts';
import {
  createApiOption,
  createChatEndpoints,
  createEndpoints,
  createRealtimeEndpoints,
  openaiEndpointTypes,
  openaiVideoEndpoints,
} from '../provider-kit/openai-compatible.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';
import {
  anyServerUrlsOption,
  dropControlFields,
  findAddressForAnyServer,
} from '../provider-kit/self-hosted-server-restrictions.ts';
import { customModelsPath, pathOptions, toCustomVideosPath, withCustomPaths } from '../provider-kit/upstream-paths.ts';

/**
 * Option for Anthropic's `cache_control` in Chat Completions: as the client wrote it, for clients of all dialects, or
 * never.
 */
const cacheMarksOption: ProviderField = { name: 'cacheMarks', required: false, choices: ['as-asked', 'on', 'off'] };

/** Any server with OpenAI's dialects, at OpenAI's paths or custom ones. */
export const custom: Provider = {
  id: 'custom',
  label: 'Custom (OpenAI compatible)',
  channelType: 8,
  website: '',
  endpoints: withCustomPaths({
    ...createEndpoints('/v1', [...openaiEndpointTypes, 'rerank']),
    chat: createChatEndpoints('/v1/chat/completions', '/v1/responses', 'chat'),
    realtime: createRealtimeEndpoints('/v1/realtime'),
    videos: openaiVideoEndpoints.filter(({ format }) => format === 'openai-videos'),
  }),
  credentials: [{ name: 'key', required: false }],
  options: [createApiOption('chat'), createAuthOption(), cacheMarksOption, anyServerUrlsOption, ...pathOptions],
  ...customSignIn,
  quirks: [dropControlFields],
  findOperatorData: findAddressForAnyServer,
  taskPath: toCustomVideosPath,
  listModels: { path: customModelsPath, read: readOpenaiModelIds },
};

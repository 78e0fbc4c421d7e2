import { bearerHeader } from '../auth/upstream-credentials.ts';
import { numberOf, objectOf } from '../json/json.ts';
import type { Provider, Target } from '../model/provider.ts';
import {
  createEndpoints,
  createRealtimeEndpoints,
  openaiEndpointTypes,
  openaiVideoEndpoints,
} from '../provider-kit/openai-compatible.ts';
import { readOpenaiModelIds, toMicroUsd } from '../provider-kit/passthrough-and-account-requests.ts';
import {
  anyServerUrlsOption,
  dropControlFields,
  findAddressForAnyServer,
} from '../provider-kit/self-hosted-server-restrictions.ts';
import { geminiContentPath, geminiEmbeddingsPath } from '../provider-kit/upstream-paths.ts';

const {
  chat = [],
  embeddings = [],
  ...others
} = createEndpoints('/v1', ['openai-chat', ...openaiEndpointTypes, 'rerank']);

const speaksAll = ({ options }: Target): boolean => (options['dialects'] || 'all') === 'all';

/** Default quota units per USD in gateways of this family. */
const QUOTA_PER_USD = 500_000;

/**
 * Another gateway: One API and its relatives, of which older ones only support OpenAI's dialects. Any vendor may be
 * behind it, so that no vendor's quirks apply.
 * https://docs.newapi.pro/api
 */
export const oneApi: Provider = {
  id: 'one-api',
  label: 'New API / One API / this gateway',
  channelType: 1019,
  website: 'https://docs.newapi.pro',
  endpoints: {
    ...others,
    chat: [
      ...chat,
      // The gateway forwards tools, or translates them itself.
      { format: 'openai-responses', path: '/v1/responses', serves: speaksAll, knowsClientTools: true },
      { format: 'anthropic-messages', path: '/v1/messages', serves: speaksAll },
      { format: 'gemini', path: geminiContentPath, serves: speaksAll },
    ],
    embeddings: [...embeddings, { format: 'gemini-embeddings', path: geminiEmbeddingsPath, serves: speaksAll }],
    realtime: createRealtimeEndpoints('/v1/realtime'),
    videos: [...openaiVideoEndpoints, { format: 'video-generations', path: '/v1/video/generations' }],
  },
  credentials: [{ name: 'key', required: true }],
  options: [{ name: 'dialects', required: false, choices: ['all', 'openai'] }, anyServerUrlsOption],
  quirks: [dropControlFields],
  findOperatorData: findAddressForAnyServer,
  authorize: bearerHeader,
  listModels: { path: () => '/v1/models', read: readOpenaiModelIds },
  readBalance: {
    path: () => '/api/usage/token/',
    read(body) {
      const { total_available: left, unlimited_quota: isUnlimited } = objectOf(objectOf(body)['data']);
      const quota = numberOf(left);
      return quota === undefined || isUnlimited === true ? undefined : toMicroUsd(quota / QUOTA_PER_USD);
    },
  },
};

import { bearerHeader } from '../auth/upstream-credentials.ts';
import { getUpstreamDialect } from '../exchange/dialect-registry.ts';
import type { Endpoint, Provider, ProviderField, Target } from '../model/provider.ts';
import { type ImageOptions, keepImageListPrice } from './keep-image-list-price.ts';
import { readOpenaiModelIds } from './passthrough-and-account-requests.ts';
import { renameDeveloperRole, renameTokenCap } from './shared-vendor-quirks.ts';

type Name = 'id' | 'label' | 'channelType' | 'website';

/** Description of an OpenAI-compatible vendor. */
export interface CompatibleVendor extends Pick<Provider, Name>, Partial<Omit<Provider, Name | 'listModels'>> {
  /** Prefix of its paths; absent: `/v1`. */
  root?: string;
  /** Absent: Chat Completions. */
  endpointTypes?: readonly EndpointType[];
  /** Absent: only those of OpenAI and of many vendors. Null: any, for the operator's own servers. */
  imageOptions?: ImageOptions | null;
  /** Absent: at `/models`. Null: no list. */
  listModels?: Provider['listModels'] | null;
}

/**
 * Creates a provider of an OpenAI-compatible vendor, by default with a bearer token, the role `system` and
 * `max_tokens`.
 */
export function createOpenaiCompatible({
  root = '/v1',
  endpointTypes = ['openai-chat'],
  endpoints,
  imageOptions = {},
  quirks = [],
  listModels = { path: () => `${root}/models`, read: readOpenaiModelIds },
  ...own
}: CompatibleVendor): Provider {
  return {
    endpoints: { ...createEndpoints(root, endpointTypes), ...endpoints },
    credentials: [{ name: 'key', required: true }],
    options: [],
    authorize: bearerHeader,
    quirks: [
      renameDeveloperRole,
      renameTokenCap,
      ...(imageOptions === null ? [] : [keepImageListPrice(imageOptions)]),
      ...quirks,
    ],
    ...(listModels && { listModels }),
    ...own,
  };
}

/** OpenAI's paths, which compatible vendors have below their own root. */
const paths = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'anthropic-messages': '/messages',
  'openai-completions': '/completions',
  'openai-embeddings': '/embeddings',
  'openai-images': '/images/generations',
  'openai-image-edits': '/images/edits',
  'openai-image-variations': '/images/variations',
  'openai-speech': '/audio/speech',
  'openai-transcription': '/audio/transcriptions',
  'openai-translation': '/audio/translations',
  'openai-moderation': '/moderations',
  rerank: '/rerank',
} as const;
const apis: readonly Api[] = ['both', 'chat', 'responses'];
/** Models that OpenAI serves in Responses only. Source: the model pages of platform.openai.com, "Endpoints", 2026. */
const responsesOnly = /^(o1-pro|o3-pro|gpt-[5-9](\.\d+)?-pro|.*-codex|codex-|.*-deep-research|computer-use)/;

type EndpointType = keyof typeof paths;

/** OpenAI's endpoint types other than chat and WebSockets. */
export const openaiEndpointTypes: readonly EndpointType[] = [
  'openai-completions',
  'openai-embeddings',
  'openai-images',
  'openai-image-edits',
  'openai-image-variations',
  'openai-speech',
  'openai-transcription',
  'openai-translation',
  'openai-moderation',
];

/**
 * @param root prefix of the paths, `/v1` at OpenAI. @param surfaces endpoint types, of which the first of an
 * operation is preferred
 */
export function createEndpoints(root: string, surfaces: readonly EndpointType[]): Provider['endpoints'] {
  const endpoints = surfaces.map((format): Endpoint => ({ format, path: root + paths[format] }));
  return Object.fromEntries(Map.groupBy(endpoints, ({ format }) => getUpstreamDialect(format).operation));
}

/** Video tasks. https://platform.openai.com/docs/api-reference/videos */
export const openaiVideoEndpoints: readonly Endpoint[] = [
  { format: 'openai-videos', path: '/v1/videos' },
  {
    format: 'openai-video-remix',
    path: (_target, { submission }) => `/v1/videos/${encodeURIComponent(submission?.origin?.upstreamId ?? '')}/remix`,
  },
];

/**
 * Creates WebSocket endpoints, with the model in the query.
 * https://platform.openai.com/docs/guides/realtime-websocket
 */
export function createRealtimeEndpoints(path: string): readonly Endpoint[] {
  return [{ format: 'openai-realtime', path: ({ model }) => `${path}?model=${encodeURIComponent(model)}` }];
}

/** OpenAI's two chat dialects, of which an upstream has one or both. */
type Api = 'both' | 'chat' | 'responses';

/** @param usual default for vendors of this kind */
export function createApiOption(usual: Api): ProviderField {
  return { name: 'api', required: false, choices: [usual, ...apis.filter((api) => api !== usual)] };
}

/**
 * @param usual default for vendors of this kind; `both` for OpenAI's own services, which support all tools of
 * Responses
 */
export function createChatEndpoints(
  chat: Endpoint['path'],
  responses: Endpoint['path'],
  usual: Api = 'both',
): Endpoint[] {
  const apiOf = ({ options }: Target): string => options['api'] || usual;
  return [
    {
      format: 'openai-chat',
      path: chat,
      serves: (target) => apiOf(target) === 'chat' || (apiOf(target) === 'both' && !responsesOnly.test(target.model)),
    },
    {
      format: 'openai-responses',
      path: responses,
      serves: (target) => apiOf(target) !== 'chat',
      ...(usual === 'both' && { knowsClientTools: true }),
    },
  ];
}

/**
 * Paths at upstreams: custom ones, which the operator sets for each operation of an upstream without a common
 * convention, and those of Gemini's actions, at Google and at gateways with the same paths.
 */

import { isBatch } from '../dialects/embeddings/gemini-embeddings.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Endpoint, Provider, ProviderField, Target } from '../model/provider.ts';

/** Value for an operation that the upstream doesn't support. */
const NOT_OFFERED = '-';

interface CustomPath {
  /** Name of the option. */
  option: string;
  /** Path if the operator sets none. */
  defaultPath: string;
}

const videosPath: CustomPath = { option: 'videosPath', defaultPath: '/v1/videos' };

const paths: Partial<Record<UpstreamDialectId, CustomPath>> = {
  'openai-chat': { option: 'chatPath', defaultPath: '/v1/chat/completions' },
  'openai-responses': { option: 'responsesPath', defaultPath: '/v1/responses' },
  'openai-completions': { option: 'completionsPath', defaultPath: '/v1/completions' },
  'openai-embeddings': { option: 'embeddingsPath', defaultPath: '/v1/embeddings' },
  'openai-images': { option: 'imagesPath', defaultPath: '/v1/images/generations' },
  'openai-image-edits': { option: 'imageEditsPath', defaultPath: '/v1/images/edits' },
  'openai-image-variations': { option: 'imageVariationsPath', defaultPath: '/v1/images/variations' },
  'openai-speech': { option: 'speechPath', defaultPath: '/v1/audio/speech' },
  'openai-transcription': { option: 'transcriptionPath', defaultPath: '/v1/audio/transcriptions' },
  'openai-translation': { option: 'translationPath', defaultPath: '/v1/audio/translations' },
  'openai-moderation': { option: 'moderationPath', defaultPath: '/v1/moderations' },
  rerank: { option: 'rerankPath', defaultPath: '/v1/rerank' },
  'openai-videos': videosPath,
  'openai-realtime': { option: 'realtimePath', defaultPath: '/v1/realtime' },
};

const modelsPath: CustomPath = { option: 'modelsPath', defaultPath: '/v1/models' };

export const pathOptions: readonly ProviderField[] = [...Object.values(paths), modelsPath].map(
  ({ option, defaultPath }) => ({ name: option, required: false, placeholder: defaultPath, isPath: true }),
);

/**
 * Returns whether the value is a path below the base URL, or the value for an unsupported operation. Credentials must
 * not be sent to other hosts.
 */
export function isCustomPath(value: string): boolean {
  return value === NOT_OFFERED || /^\/(?!\/)[\x21-\x7e]{0,255}$/.test(value);
}

export function customModelsPath(target: Target): string {
  return resolvePath(target, modelsPath);
}

/** Returns the path for polling and fetching videos, which is below the path for submissions. */
export function toCustomVideosPath(target: Target, path: string): string {
  const { defaultPath } = videosPath;
  return path === defaultPath || path.startsWith(`${defaultPath}/`)
    ? resolvePath(target, videosPath) + path.slice(defaultPath.length)
    : path;
}

/** Returns the endpoints with the operator's paths. */
export function withCustomPaths(speaks: Provider['endpoints']): Provider['endpoints'] {
  const moved = Object.entries(speaks).map(([operation, endpoints]) => [operation, endpoints.map(withCustomPath)]);
  return Object.fromEntries(moved);
}

function withCustomPath(endpoint: Endpoint): Endpoint {
  const own = paths[endpoint.format];
  if (own === undefined) return endpoint;
  const { option, defaultPath } = own;
  const { path: known } = endpoint;
  return {
    ...endpoint,
    path: (target, request) => {
      const written = typeof known === 'string' ? known : known(target, request);
      return resolvePath(target, own) + written.slice(defaultPath.length);
    },
    serves: (target) => target.options[option] !== NOT_OFFERED && endpoint.serves?.(target) !== false,
  };
}

function resolvePath({ options }: Target, { option, defaultPath }: CustomPath): string {
  const own = options[option] ?? '';
  return isCustomPath(own) && own !== NOT_OFFERED ? own : defaultPath;
}

/**
 * Encodes a model's name as one path segment; a path traversal would lead to another address.
 * @throws InvalidRequestError
 */
export function encodeModelInPath(model: string): string {
  if (/^\.{0,2}$/.test(model))
    throw new InvalidRequestError('The model name is empty, "." or "..". Use another name.', 'model');
  return encodeURIComponent(model);
}

/**
 * Returns Gemini's path of a model, whose name may be a resource name (`tunedModels/…`). Streams are always requested as
 * events: a JSON array could only be read by counting brackets.
 */
export function geminiContentPath({ model }: Target, { facts }: ClientRequest): string {
  return geminiActionPath(model, facts.stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
}

/** Returns Gemini's path for embeddings; requests of other dialects are sent as a batch. */
export function geminiEmbeddingsPath({ model }: Target, { format, json }: ClientRequest): string {
  const isOne = format === 'gemini-embeddings' && !isBatch(json);
  return geminiActionPath(model, isOne ? 'embedContent' : 'batchEmbedContents');
}

/**
 * Returns the path of Gemini's action. Refuses path traversals, which would lead to another model. @throws InvalidRequestError
 */
export function geminiActionPath(model: string, action: string): string {
  const resource = model.includes('/') ? model : `models/${model}`;
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(resource))
    throw new InvalidRequestError('The model name has a path segment that is "." or "..". Use another name.', 'model');
  return `/v1beta/${resource.split('/').map(encodeURIComponent).join('/')}:${action}`;
}

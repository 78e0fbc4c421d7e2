/** Resolves an address to a relay operation and the client's dialect. */
import type { Settings } from '@switchyard/contract/operations/settings';
import { type DialectId, klingPaths, midjourneyPaths, type RequestRoute, UPLOAD_PATH } from '@switchyard/relay';

const relayedRoutes: Readonly<Record<string, RequestRoute>> = {
  '/v1/chat/completions': { operation: 'chat', format: 'openai-chat' },
  '/v1/responses': { operation: 'chat', format: 'openai-responses' },
  '/v1/completions': { operation: 'completions', format: 'openai-completions' },
  '/v1/embeddings': { operation: 'embeddings', format: 'openai-embeddings' },
  '/v1/images/generations': { operation: 'images', format: 'openai-images' },
  '/v1/images/edits': { operation: 'images', format: 'openai-image-edits', form: 'also' },
  '/v1/images/variations': { operation: 'images', format: 'openai-image-variations', form: 'only' },
  '/v1/audio/speech': { operation: 'speech', format: 'openai-speech' },
  '/v1/audio/transcriptions': { operation: 'transcription', format: 'openai-transcription', form: 'only' },
  '/v1/audio/translations': { operation: 'transcription', format: 'openai-translation', form: 'only' },
  '/v1/moderations': { operation: 'moderation', format: 'openai-moderation' },
  '/v1/video/generations': { operation: 'videos', format: 'video-generations' },
  '/v1/videos': { operation: 'videos', format: 'openai-videos', form: 'also' },
  '/v1/rerank': { operation: 'rerank', format: 'rerank' },
  '/v2/rerank': { operation: 'rerank', format: 'cohere-rerank' },
  '/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
};

/** @param address path and query */
export function resolveRoute(address: string): RequestRoute | undefined {
  const path = parsePath(address);
  return (
    relayedRoutes[path] ??
    remixRoute(path) ??
    midjourneyRoute(path) ??
    sunoRoute(path) ??
    klingRoute(path) ??
    geminiRoute(address)
  );
}

const remixCall = /^\/v1\/videos\/([\w-]{1,100})\/remix$/;

function remixRoute(path: string): RequestRoute | undefined {
  const originId = remixCall.exec(path)?.[1];
  return originId === undefined
    ? undefined
    : { operation: 'videos', format: 'openai-video-remix', submission: { originId } };
}

const midjourneyCall = /^(?:\/mj-(fast|turbo|relax))?\/mj\/([\w/-]{1,100})$/;

/** Returns the part of the path after `/mj/` or `/mj-turbo/mj/`, and the mode; undefined for other paths. */
export function midjourneyPath(path: string): { below: string; mode: string } | undefined {
  const [, mode = 'fast', below] = midjourneyCall.exec(path) ?? [];
  return below === undefined ? undefined : { below, mode };
}

const sunoCall = /^\/suno\/submit\/(music|lyrics)$/;

function sunoRoute(path: string): RequestRoute | undefined {
  const action = sunoCall.exec(path)?.[1];
  return action === undefined ? undefined : { operation: 'music', format: 'suno', submission: { path: action } };
}

const klingCall = /^\/kling\/v1\/videos\/([\w-]{1,40})$/;

function klingRoute(path: string): RequestRoute | undefined {
  const below = klingCall.exec(path)?.[1] ?? '';
  return klingPaths.has(below)
    ? { operation: 'videos', format: 'kling-videos', submission: { path: below } }
    : undefined;
}

function midjourneyRoute(path: string): RequestRoute | undefined {
  const { below = '', mode = '' } = midjourneyPath(path) ?? {};
  if (below === UPLOAD_PATH)
    return { operation: 'drawing', format: 'midjourney-uploads', submission: { path: below, mode } };
  return midjourneyPaths.has(below)
    ? { operation: 'drawing', format: 'midjourney', submission: { path: below, mode } }
    : undefined;
}

const geminiCall = /^(?:\/gemini)?\/v1(?:alpha|beta)?\d*\/(.+):([A-Za-z]+)$/;
const geminiPath =
  /^\/gemini(?:\/|$)|^\/v1(?:alpha|beta)\d*(?:\/|$)|^\/v1\/(?:models|publishers|tunedModels)\/.+:[A-Za-z]+$/;

/**
 * Resolves a Gemini address, which contains the model and the action; a stream is a JSON array unless the client
 * requests events.
 */
function geminiRoute(address: string): RequestRoute | undefined {
  const [, resource = '', action] = geminiCall.exec(parsePath(address)) ?? [];
  const model = parseModel(resource);
  if (model === undefined) return undefined;
  if (action === 'embedContent' || action === 'batchEmbedContents')
    return { operation: 'embeddings', format: 'gemini-embeddings', model, stream: false };
  if (action !== 'generateContent' && action !== 'streamGenerateContent') return undefined;
  const query = parseQuery(address);
  return {
    operation: 'chat',
    format: 'gemini',
    model,
    stream: action === 'streamGenerateContent',
    framing: (query.get('alt') ?? query.get('$alt')) === 'sse' ? 'sse' : 'json-array',
  };
}

/** Returns the model of `models/NAME` or `publishers/google/models/NAME`; a name may contain slashes. */
function parseModel(resource: string): string | undefined {
  try {
    const name = decodeURIComponent(resource).replace(/^publishers\/[^/]+\//, '');
    return name.replace(/^(?:models\/)+/, '') || undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the path, without a query, belongs to Google's API. */
export function isGeminiPath(path: string): boolean {
  return geminiPath.test(path);
}

/** Routes that count tokens and call no model. */
const countRoutes: Readonly<Record<string, RequestRoute>> = {
  '/v1/messages/count_tokens': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages/count_tokens': { operation: 'chat', format: 'anthropic-messages' },
  '/v1/responses/input_tokens': { operation: 'chat', format: 'openai-responses' },
};

/**
 * Returns the chat request whose tokens an address counts.
 * @param address path and query
 */
export function resolveCountRoute(address: string): RequestRoute | undefined {
  const [, resource = '', action] = geminiCall.exec(parsePath(address)) ?? [];
  const model = action === 'countTokens' ? parseModel(resource) : undefined;
  if (model !== undefined) return { operation: 'chat', format: 'gemini', model, stream: false };
  return countRoutes[parsePath(address)];
}

/** Returns the dialect for an error on a path that is not relayed. */
export function detectDialect(path: string): DialectId {
  if (isGeminiPath(path)) return 'gemini';
  if (midjourneyPath(path) !== undefined) return 'midjourney';
  if (path.startsWith('/suno/')) return 'suno';
  if (path.startsWith('/kling/')) return 'kling-videos';
  return resolveRoute(path)?.format ?? (path.includes('/messages') ? 'anthropic-messages' : 'openai-chat');
}

/** Returns the dialect's name if the settings disable it, else undefined. */
export function findDisabledDialect(format: DialectId, settings: Settings): 'Anthropic' | 'Gemini' | undefined {
  if (format === 'anthropic-messages') return settings.claudeApi ? undefined : 'Anthropic';
  if (format === 'gemini' || format === 'gemini-embeddings') return settings.geminiApi ? undefined : 'Gemini';
  return undefined;
}

/** Returns the error message for a path that is not relayed. */
export function describeUnknownPath(method: string, path: string): string {
  const action = geminiCall.exec(path)?.[2]?.slice(0, 80);
  if (action !== undefined && method === 'POST')
    return `The action ${action} is not supported. Use generateContent, streamGenerateContent, countTokens, embedContent or batchEmbedContents.`;
  const refusal = `Invalid URL (${method} ${path.slice(0, 80)})`;
  return `${refusal}. Check the method and the base URL. It ends in /v1 for OpenAI's clients, not for Anthropic's.`;
}

const relayPrefixes = [
  '/mj/',
  '/suno/',
  '/kling/',
  '/mj-fast/',
  '/mj-turbo/',
  '/mj-relax/',
  '/v1/',
  '/v2/',
  '/v1beta/',
  '/v1alpha/',
  '/claude/',
  '/gemini/',
  '/dashboard/billing/',
];

/** Path of a key's remaining budget, queried with the key, as New API serves it: https://docs.newapi.pro/api */
export const KEY_USAGE_PATH = '/api/usage/token';

/** Returns whether the path belongs to the relay API, whatever the method. */
export function isRelayPath(path: string): boolean {
  return path === KEY_USAGE_PATH || relayPrefixes.some((prefix) => path.startsWith(prefix));
}

/** Query of an address. */
export type Query = Pick<URLSearchParams, 'get' | 'has' | 'entries'>;

/** Shared, because nearly all addresses have no query. */
const emptyQuery: Query = new URLSearchParams();

export function parseQuery(address: string): Query {
  const end = findPathEnd(address);
  return end === address.length ? emptyQuery : new URLSearchParams(address.slice(end + 1));
}

const passthroughPath = /^\/v1\/(files|batches|vector_stores|fine_tuning)(\/[\w:~-][\w.:~-]*)*$/;

/**
 * Returns whether the path names objects that are stored in one account at the vendor, so that no other channel could
 * serve it.
 */
export function isPassthroughPath(path: string): boolean {
  return passthroughPath.test(path);
}

/** Returns the path without the query and without a trailing slash. */
export function parsePath(address: string): string {
  const path = address.slice(0, findPathEnd(address));
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function findPathEnd(address: string): number {
  const query = address.indexOf('?');
  return query === -1 ? address.length : query;
}

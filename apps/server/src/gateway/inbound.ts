/** Which relay operation an address means, and in which dialect its client speaks. */
import type { FormatId, RequestRoute } from '@switchyard/relay';

const relayed: Readonly<Record<string, RequestRoute>> = {
  '/v1/chat/completions': { operation: 'chat', format: 'openai-chat' },
  '/v1/completions': { operation: 'completions', format: 'openai-completions' },
  '/v1/embeddings': { operation: 'embeddings', format: 'openai-embeddings' },
  '/v1/images/generations': { operation: 'images', format: 'openai-images' },
  '/v1/images/edits': { operation: 'images', format: 'openai-image-edits', form: 'also' },
  '/v1/images/variations': { operation: 'images', format: 'openai-image-variations', form: 'only' },
  '/v1/audio/speech': { operation: 'speech', format: 'openai-speech' },
  '/v1/audio/transcriptions': { operation: 'transcription', format: 'openai-transcription', form: 'only' },
  '/v1/audio/translations': { operation: 'transcription', format: 'openai-translation', form: 'only' },
  '/v1/moderations': { operation: 'moderation', format: 'openai-moderation' },
  '/v1/rerank': { operation: 'rerank', format: 'rerank' },
  '/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
};

/** @param address path and query */
export function relayRoute(address: string): RequestRoute | undefined {
  return relayed[pathOf(address)];
}

/** The dialect for an error on a path that is not relayed. */
export function formatOfPath(path: string): FormatId {
  return relayRoute(path)?.format ?? (path.includes('/messages') ? 'anthropic-messages' : 'openai-chat');
}

const relayPrefixes = ['/v1/', '/v1beta/', '/claude/', '/gemini/', '/dashboard/billing/'];

/** Paths of the relay API, whatever their method. */
export function isRelayPath(path: string): boolean {
  return relayPrefixes.some((prefix) => path.startsWith(prefix));
}

export function queryOf(address: string): URLSearchParams {
  const query = address.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : address.slice(query));
}

const rawPath = /^\/v1\/(files|batches|vector_stores|fine_tuning)(\/[\w:~-][\w.:~-]*)*$/;

/** Paths of things that stay with one account at the vendor, which no other channel could serve. */
export function isRawPath(path: string): boolean {
  return rawPath.test(path);
}

/** Without query, and without a slash at the end. */
export function pathOf(address: string): string {
  const query = address.indexOf('?');
  const path = query === -1 ? address : address.slice(0, query);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

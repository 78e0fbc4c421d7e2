/** Which relay operation an address means, and in which dialect its client speaks. */
import type { FormatId, RequestRoute } from '@switchyard/relay';

const relayed: Readonly<Record<string, RequestRoute>> = {
  '/v1/chat/completions': { operation: 'chat', format: 'openai-chat' },
  '/v1/responses': { operation: 'chat', format: 'openai-responses' },
  '/v1/completions': { operation: 'completions', format: 'openai-completions' },
  '/v1/embeddings': { operation: 'embeddings', format: 'openai-embeddings' },
  '/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
};

/** @param address path and query */
export function relayRoute(address: string): RequestRoute | undefined {
  return relayed[pathOf(address)];
}

/** Of these the tokens are counted; nothing is asked of a model. */
const counted: Readonly<Record<string, RequestRoute>> = {
  '/v1/messages/count_tokens': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages/count_tokens': { operation: 'chat', format: 'anthropic-messages' },
  '/v1/responses/input_tokens': { operation: 'chat', format: 'openai-responses' },
};

/** Of what chat request an address asks for the number of tokens. @param address path and query */
export function countRoute(address: string): RequestRoute | undefined {
  return counted[pathOf(address)];
}

/** The dialect for an error on a path that is not relayed. */
export function formatOfPath(path: string): FormatId {
  return relayRoute(path)?.format ?? (path.includes('/messages') ? 'anthropic-messages' : 'openai-chat');
}

/** Paths of the relay API, whatever their method. */
export function isRelayPath(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/claude/') || path.startsWith('/dashboard/billing/');
}

export function queryOf(address: string): URLSearchParams {
  const at = address.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : address.slice(at + 1));
}

/** Without query, and without a slash at the end. */
export function pathOf(address: string): string {
  const query = address.indexOf('?');
  const path = query === -1 ? address : address.slice(0, query);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Which relay operation a path means, and in which dialect its client speaks. */
import type { FormatId, Operation } from '@switchyard/relay';

export interface InboundRoute {
  operation: Operation;
  format: FormatId;
}

const relayed: Readonly<Record<string, InboundRoute>> = {
  '/v1/chat/completions': { operation: 'chat', format: 'openai-chat' },
  '/v1/completions': { operation: 'completions', format: 'openai-completions' },
  '/v1/embeddings': { operation: 'embeddings', format: 'openai-embeddings' },
  '/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
  '/claude/v1/messages': { operation: 'chat', format: 'anthropic-messages' },
};

export function relayRoute(path: string): InboundRoute | undefined {
  return relayed[path];
}

/** The dialect for an error on a path that is not relayed. */
export function formatOfPath(path: string): FormatId {
  return relayed[path]?.format ?? (path.includes('/messages') ? 'anthropic-messages' : 'openai-chat');
}

/** Paths of the relay API, whatever their method. */
export function isRelayPath(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/claude/') || path.startsWith('/dashboard/billing/');
}

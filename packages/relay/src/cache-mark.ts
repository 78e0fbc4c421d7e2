import type { Conversation } from './conversation.ts';
import { type JsonObject, objectOf } from './json.ts';

/** Anthropic's prompt-cache breakpoint; proxies and some vendors take it on OpenAI's parts, too. */
export function readCacheMark(part: JsonObject): '5m' | '1h' | undefined {
  const control = objectOf(part['cache_control']);
  if (control['type'] !== 'ephemeral') return undefined;
  return control['ttl'] === '1h' ? '1h' : '5m';
}

/** For dialects that have no such thing. */
export function hasCacheMark({ system, tools, turns }: Conversation): boolean {
  const parts = turns.flatMap((turn) => turn.parts);
  return [...system, ...tools, ...parts].some((part) => 'cache' in part && part.cache !== undefined);
}

export function writeCacheMark(part: { cache?: '5m' | '1h' | undefined }): Record<string, unknown> {
  if (part.cache === undefined) return {};
  return { cache_control: part.cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}

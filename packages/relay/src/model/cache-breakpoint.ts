import { type JsonObject, objectOf } from '../json/json.ts';
import type { Conversation, Part } from './conversation.ts';

/** Reads Anthropic's prompt-cache breakpoint; proxies and some vendors also accept it on OpenAI's parts. */
export function readCacheBreakpoint(part: JsonObject): '5m' | '1h' | undefined {
  const control = objectOf(part['cache_control']);
  if (control['type'] !== 'ephemeral') return undefined;
  return control['ttl'] === '1h' ? '1h' : '5m';
}

/** Minimum tokens of a prompt that OpenAI and Google write to a cache. */
const WRITTEN_PROMPT_MIN = 1_024;
/**
 * Vendors that write caches unasked, and charge some models' writes.
 * https://platform.openai.com/docs/guides/prompt-caching, https://openrouter.ai/docs/guides/best-practices/prompt-caching
 */
const writesUnasked = /(?:^|[/.:])(?:gpt|gemini)-/i;

/** Returns whether the vendor of a model writes such a prompt to a cache although the request doesn't ask for it. */
export function writesCacheUnasked(model: string, promptTokens: number): boolean {
  return promptTokens >= WRITTEN_PROMPT_MIN && writesUnasked.test(model);
}

/**
 * Moves the mark of a whole message to its last part, unless that has its own. Clients with text-only messages write
 * it so.
 */
export function withMessageBreakpoint(parts: Part[], message: JsonObject): Part[] {
  const cache = readCacheBreakpoint(message);
  const last = parts.at(-1);
  if (cache === undefined || last === undefined) return parts;
  if (last.type === 'reasoning' || last.type === 'vendor-call' || last.type === 'refusal') return parts;
  return [...parts.slice(0, -1), { ...last, cache: last.cache ?? cache }];
}

/** Returns whether a conversation contains a cache mark. Dialects without caching report it as unsupported. */
export function hasCacheBreakpoint({ system, tools, turns }: Conversation): boolean {
  const parts = turns.flatMap((turn) => turn.parts);
  return [...system, ...tools, ...parts].some((part) => 'cache' in part && part.cache !== undefined);
}

/** Removes the marks, for targets that refuse them. */
export function withoutCacheBreakpoint(conversation: Conversation): Conversation {
  return {
    ...conversation,
    system: conversation.system.map(unmarked),
    tools: conversation.tools.map(unmarked),
    turns: conversation.turns.map((turn) => ({ ...turn, parts: turn.parts.map(unmarked) })),
  };
}

function unmarked<Marked extends object>(part: Marked): Marked {
  return 'cache' in part ? { ...part, cache: undefined } : part;
}

export function writeCacheBreakpoint(part: { cache?: '5m' | '1h' | undefined }): Record<string, unknown> {
  if (part.cache === undefined) return {};
  return { cache_control: part.cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}

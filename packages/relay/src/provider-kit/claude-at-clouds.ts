/** Anthropic's dialect where a cloud serves it: the model is in the address, and the version in the body. */
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { dropFields } from './quirks.ts';

/**
 * Fields of Anthropic's own service, which the clouds refuse.
 * https://platform.claude.com/docs/en/build-with-claude/overview, "Feature availability"
 */
export const dropAnthropicOnlyFields: Quirk = dropFields(
  'service_tier',
  'inference_geo',
  'speed',
  'container',
  'mcp_servers',
);

/** Blocks that may not be marked. */
const unmarkable: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * A mark at the root means the last block that can be cached. The clouds refuse it there, and take it on the block.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "Automatic caching"
 */
export const moveRootCacheMark: Quirk = (body, _target, dropped) => {
  const { cache_control: mark, ...rest } = body;
  if (mark === undefined) return body;
  if (mark === null) return rest;
  const messages = listOf(rest['messages']);
  const last = objectOf(messages.at(-1));
  const { content } = last;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const block = blocks.at(-1);
  if (!isObject(block) || unmarkable.has(block['type']) || block['text'] === '') {
    dropped.push('cache_control');
    return rest;
  }
  const marked = [...blocks.slice(0, -1), { cache_control: mark, ...block }];
  return { ...rest, messages: [...messages.slice(0, -1), { ...last, content: marked }] };
};

export function addAnthropicVersion(body: JsonObject, version: string): JsonObject {
  const { model: _model, ...rest } = body;
  return { anthropic_version: version, ...rest };
}

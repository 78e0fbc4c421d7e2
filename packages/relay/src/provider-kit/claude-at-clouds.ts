/** Anthropic's dialect at cloud providers: the model is in the URL, and the version in the body. */
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { dropFields } from './quirks.ts';

/**
 * Removes fields that only Anthropic's own service supports.
 * https://platform.claude.com/docs/en/build-with-claude/overview, "Feature availability"
 */
export const dropAnthropicOnlyFields: Quirk = dropFields(
  'service_tier',
  'inference_geo',
  'speed',
  'container',
  'mcp_servers',
);

/** Types of blocks that cannot have a cache mark. */
const unmarkable: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Moves a cache mark at the root, which means the last cacheable block, to that block. The clouds refuse it at the
 * root.
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

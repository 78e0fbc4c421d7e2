/** Anthropic's dialect at cloud providers: the model is in the URL, and the version in the body. */

import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import { hasField, withoutField } from '../model/operator-body-changes.ts';
import type { Quirk } from '../model/provider.ts';
import { dropFields } from './shared-vendor-quirks.ts';

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
 * Flags of Anthropic's beta features that Amazon knows; others are refused ("invalid beta flag").
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
const flags: ReadonlySet<string> = new Set([
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'token-efficient-tools-2025-02-19',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'dev-full-thinking-2025-05-14',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'tool-search-tool-2025-10-19',
  'tool-examples-2025-10-29',
]);
/**
 * Anthropic's flags for several features at once. Amazon has one flag per feature; the body's fields show which are
 * used.
 */
const bundles: ReadonlySet<string> = new Set(['advanced-tool-use-2025-11-20']);

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

interface BetaField {
  path: string;
  /** Flag that permits the field; absent if none does. */
  flag?: string;
}

const betaFields: readonly BetaField[] = [
  { path: 'tools.defer_loading', flag: 'tool-search-tool-2025-10-19' },
  { path: 'tools.input_examples', flag: 'tool-examples-2025-10-29' },
  { path: 'context_management', flag: 'context-management-2025-06-27' },
  { path: 'tools.allowed_callers' },
  { path: 'tools.eager_input_streaming' },
  { path: 'cache_control.scope' },
  { path: 'system.cache_control.scope' },
  { path: 'tools.cache_control.scope' },
  { path: 'messages.content.cache_control.scope' },
  { path: 'messages.content.content.cache_control.scope' },
  { path: 'output_config.task_budget' },
  { path: 'diagnostics' },
];

/** Flags of Anthropic's tool types, which are refused without them. */
const toolFlags: readonly (readonly [RegExp, string])[] = [
  [/^tool_search_tool_/, 'tool-search-tool-2025-10-19'],
  [/^memory_/, 'context-management-2025-06-27'],
  [/^computer_20241022$/, 'computer-use-2024-10-22'],
  [/^computer_20250124$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
];

/**
 * Adds Amazon's flags for the used features, and removes fields that no flag permits.
 * @param asked client's flags
 * @param dropped takes the names of removed flags and fields
 */
export function addAmazonBetas(body: JsonObject, asked: readonly string[], dropped: string[]): JsonObject {
  const taken = new Set(asked.filter((flag) => flags.has(flag)));
  for (const flag of asked) if (!flags.has(flag) && !bundles.has(flag)) dropped.push(`anthropic-beta.${flag}`);
  let fitted = body;
  for (const { path, flag } of betaFields) {
    if (!hasField(fitted, path)) continue;
    if (flag !== undefined) taken.add(flag);
    else {
      dropped.push(path);
      fitted = withoutField(fitted, path);
    }
  }
  const types = listOf(body['tools']).map((tool) => textOf(objectOf(tool)['type']) ?? '');
  for (const [type, flag] of toolFlags) if (types.some((one) => type.test(one))) taken.add(flag);
  return taken.size === 0 ? fitted : { ...fitted, anthropic_beta: [...taken] };
}

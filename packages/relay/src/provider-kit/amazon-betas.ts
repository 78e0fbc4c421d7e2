/**
 * Anthropic's beta features at Amazon: the flags that it knows, and the fields that are refused without theirs ("Extra
 * inputs are not permitted"). https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 */
import { hasField, withoutField } from '../json/field-paths.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';

/** Any other is refused ("invalid beta flag"). */
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

/** Anthropic's flags for several features at once. Amazon has a flag for each; the body's fields say which are used. */
const bundles: ReadonlySet<string> = new Set(['advanced-tool-use-2025-11-20']);

interface BetaField {
  path: string;
  /** Permits the field here; absent where nothing does. */
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

/** Tools of a type of Anthropic's own, which are refused without their flag. */
const toolFlags: readonly (readonly [RegExp, string])[] = [
  [/^tool_search_tool_/, 'tool-search-tool-2025-10-19'],
  [/^memory_/, 'context-management-2025-06-27'],
  [/^computer_20241022$/, 'computer-use-2024-10-22'],
  [/^computer_20250124$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
];

/**
 * The body with Amazon's flags for what it asks for, and without what no flag permits.
 * @param asked the client's flags
 * @param dropped takes the names of flags and fields that are left out
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

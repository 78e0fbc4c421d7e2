/** Refusal of fields that an upstream could read as one that determines the served model or the price. */
import type { JsonObject } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { unpricedFields } from './unpriced-fields.ts';

/** Fields that determine the served model and the price. */
const decisive: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'input',
  'instructions',
  'previous_response_id',
  'conversation',
  'prompt',
  'stream',
  'stream_options',
  'n',
  'best_of',
  'size',
  'image_size',
  'quality',
  'steps',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'tools',
  'functions',
  'thinking',
  'reasoning',
  'reasoning_effort',
  'seconds',
  'duration',
  'width',
  'height',
  'resolution',
  'mode',
  'mv',
  'model_name',
  'task_id',
  'callback_url',
  'notify_hook',
  'action',
  'content',
  'filter',
  'index',
  'continue_clip_id',
  'effect_scene',
  'video_id',
  'modalities',
  'enable_search',
  'enable_enhancement',
  'web_search',
  'web_search_options',
  'search_parameters',
  'venice_parameters',
  'extra_body',
  'mcp_servers',
  'thinking_budget',
  'enable_thinking',
  ...unpricedFields.filter((field) => field === field.toLowerCase()),
]);

/** Such fields in camelCase dialects, by their case-folded names. */
const decisiveInCamelCase: ReadonlyMap<string, string> = new Map(
  [
    'contents',
    'generationConfig',
    'generation_config',
    'systemInstruction',
    'serviceTier',
    'accountFilter',
    'notifyHook',
    'customId',
    'taskId',
  ].map((field) => [field.toLowerCase(), field]),
);

/** Such fields within settings and tools, in all spellings that vendors read. */
const decisiveInside: ReadonlyMap<string, string> = new Map(
  [
    'include_usage',
    'max_tokens',
    'max_output_tokens',
    'maxOutputTokens',
    'candidate_count',
    'candidateCount',
    'budget_tokens',
    'thinking_budget',
    'thinkingBudget',
    'thinking_config',
    'thinkingConfig',
    'thinking_level',
    'thinkingLevel',
    'effort',
    'enabled',
    'enable',
    'enable_search',
    'enable_web_search',
    'search_context_size',
    'max_uses',
    'type',
    'tools',
    'response_modalities',
    'responseModalities',
    'image_config',
    'imageConfig',
    'image_size',
    'imageSize',
    'google_search',
    'googleSearch',
    'google_search_retrieval',
    'googleSearchRetrieval',
    'google_maps',
    'googleMaps',
    'url_context',
    'urlContext',
    'code_execution',
    'codeExecution',
    'file_search',
    'fileSearch',
    'enterprise_web_search',
    'enterpriseWebSearch',
  ].map((field) => [field.toLowerCase(), field]),
);
/** Members with texts, or with names that the client chooses: of a schema, or of an app's variables. */
const contents: ReadonlySet<string> = new Set([
  'messages',
  'contents',
  'input',
  'prompt',
  'system',
  'system_instruction',
  'systemInstruction',
  'instructions',
  'metadata',
  'inputs',
  'variables',
  'prompt_variables',
  'custom_variables',
  'documents',
  'function',
  'functions',
  'functionDeclarations',
  'function_declarations',
  'parameters',
  'parametersJsonSchema',
  'input_schema',
  'json_schema',
  'schema',
  'response_format',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
  'format',
  'text',
  'labels',
  'headers',
]);
const INSIDE_DEPTH_MAX = 5;

/**
 * Refuses case variants of these fields. Some upstreams (Go's `encoding/json`) ignore case and use the last match:
 * `Model` beside `model` would be served there without being seen here. Checks both case foldings, because U+017F and
 * U+212A fold to ASCII letters.
 * @throws InvalidRequestError
 */
export function checkSpelling(body: JsonObject): void {
  for (const field of Object.keys(body)) {
    const folded = field.toUpperCase().toLowerCase();
    const name = decisiveInCamelCase.get(folded) ?? (decisive.has(folded) ? folded : field);
    if (name !== field) throw new InvalidRequestError(`${shown(field)} must be written ${name}.`, name);
    if (!contents.has(field)) checkSpellingInside(body[field], field, 1);
  }
}

/** @throws InvalidRequestError */
function checkSpellingInside(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > INSIDE_DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const item of value) checkSpellingInside(item, path, depth + 1);
    return;
  }
  for (const [field, inner] of Object.entries(value)) {
    const name = decisiveInside.get(field.toUpperCase().toLowerCase());
    // The list has both spellings of a name with several words, which fold differently.
    if (name !== undefined && name !== field)
      throw new InvalidRequestError(`${path}.${shown(field)} must be written ${name}.`, path);
    if (!contents.has(field)) checkSpellingInside(inner, `${path}.${shown(field)}`, depth + 1);
  }
}

function shown(field: string): string {
  return field.replaceAll(/[^\x21-\x7e]/g, '?');
}

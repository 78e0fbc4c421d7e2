import { booleanOf, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../../json/json.ts';
import type { Conversation } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import {
  decodeEffort,
  decodeLevel,
  decodeMetadata,
  decodeOutputFormat,
  decodeServiceTier,
  decodeUser,
} from '../../openai-fields-and-tools.ts';
import { readClientTools } from '../client-tools.ts';
import { externalReferenceFields } from '../response-object-and-items.ts';
import { decodeInput } from './decode-input-items.ts';
import { allowedTools, decodeToolChoice, decodeTools } from './decode-tools.ts';

const covered = new Set([
  'model',
  'stream',
  'stream_options',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'reasoning',
  'text',
  'include',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
]); // prettier-ignore

/** Default values, which need no report. */
const defaultValues: Readonly<Record<string, unknown>> = { store: false, background: false, truncation: 'disabled' };

/** Values of `include` that responses always contain if available, whether they were requested or not. */
const alwaysIncluded = new Set<unknown>([
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
]);
const LOGPROBS = 'message.output_text.logprobs';

/** @throws InvalidRequestError */
export function decodeRequest(body: JsonObject): Conversation {
  refuseReferences(body);
  const unsupported = Object.keys(body).filter(
    (key) => !covered.has(key) && body[key] != null && body[key] !== defaultValues[key],
  );
  const own = readClientTools(body);
  const { system, turns } = decodeInput(body, own, unsupported);
  const choice = body['tool_choice'];
  const text = objectOf(body['text']);
  const format = objectOf(text['format']);
  return {
    system,
    turns,
    ...allowedTools(decodeTools(body, own, unsupported), choice, own),
    toolChoice: decodeToolChoice(choice, own, unsupported),
    parallelToolCalls: booleanOf(body['parallel_tool_calls']),
    maxOutputTokens: numberOf(body['max_output_tokens']),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    logprobs: decodeInclude(body, unsupported),
    reasoning: decodeReasoning(objectOf(body['reasoning'])),
    outputFormat: decodeOutputFormat(format, format),
    verbosity: decodeLevel(text['verbosity']),
    userId: decodeUser(body),
    metadata: decodeMetadata(body['metadata']),
    cacheKey: textOf(body['prompt_cache_key']),
    serviceTier: decodeServiceTier(body['service_tier'], unsupported),
    unsupported,
  };
}

/** @returns number of requested alternatives per token, if any */
function decodeInclude(body: JsonObject, unsupported: string[]): number | undefined {
  const include = listOf(body['include']);
  const others = include.filter((name) => name !== LOGPROBS && !alwaysIncluded.has(name));
  unsupported.push(...others.slice(0, 32).map((name) => `include.${textOf(name) ?? 'unknown'}`));
  const alternatives = numberOf(body['top_logprobs']) ?? 0;
  return include.includes(LOGPROBS) || alternatives > 0 ? alternatives : undefined;
}

function decodeReasoning(reasoning: JsonObject): Conversation['reasoning'] {
  const effort = decodeEffort(reasoning['effort']);
  const summary = textOf(reasoning['summary']) ?? textOf(reasoning['generate_summary']);
  if (effort === undefined && summary === undefined) return undefined;
  return { effort, isShown: summary === undefined ? undefined : true };
}

/**
 * Refuses references to contents that only their vendor can read. Turns stored by the gateway have already been
 * inserted, without the reference.
 * @throws InvalidRequestError
 */
function refuseReferences(body: JsonObject): void {
  const field = [...externalReferenceFields, 'background'].find(
    (field) => body[field] != null && body[field] !== false,
  );
  if (field !== undefined) throw externalReferenceError(field);
  const refersToItem = listOf(body['input']).some((item) => objectOf(item)['type'] === 'item_reference');
  if (refersToItem) throw externalReferenceError('input');
}

function externalReferenceError(field: string): InvalidRequestError {
  const what = field === 'input' ? 'item_reference' : field;
  return new InvalidRequestError(
    `${what} is not available for this model. Send the whole conversation in input, without background.`,
    field,
  );
}

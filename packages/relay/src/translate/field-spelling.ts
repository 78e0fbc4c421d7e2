import type { JsonObject } from '../json/json.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import { unpricedFields } from './unpriced-fields.ts';

/** Fields that decide what is served and what it costs. */
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
  'quality',
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
  ...unpricedFields.filter((field) => field === field.toLowerCase()),
]);

/** The same of dialects that write names like this; by how they fold. */
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

/**
 * Some upstreams (Go's `encoding/json`) match names without regard to case, the last one winning: `Model` beside
 * `model` would be served there and not be seen here. Both ways of folding, because U+017F and U+212A fold to
 * letters of ASCII.
 * @throws InvalidRequest
 */
export function checkSpelling(body: JsonObject): void {
  for (const field of Object.keys(body)) {
    const folded = field.toUpperCase().toLowerCase();
    const name = decisiveInCamelCase.get(folded) ?? (decisive.has(folded) ? folded : field);
    if (name !== field) throw new InvalidRequest(`${shown(field)} must be written ${name}.`, name);
  }
}

function shown(field: string): string {
  return field.replaceAll(/[^\x21-\x7e]/g, '?');
}

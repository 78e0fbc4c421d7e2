import type { FinishReason } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  model_length: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  // From Google's endpoint, and gateways in front of it.
  malformed_function_call: 'malformed-call',
  unexpected_tool_call: 'malformed-call',
  too_many_tool_calls: 'malformed-call',
  malformed_response: 'invalid-output',
  missing_thought_signature: 'invalid-output',
  no_image: 'invalid-output',
  image_other: 'invalid-output',
  language: 'invalid-output',
  other: 'invalid-output',
  // DeepSeek and Zhipu: the machine failed. OpenRouter: the provider failed.
  insufficient_system_resource: 'other',
  network_error: 'other',
  error: 'other',
};

/** Reads a finish reason. Any other value is read as `stop`, for instance Together's `eos`. */
export function readFinishReason(said: string): FinishReason {
  const word = said.toLowerCase();
  return Object.hasOwn(reasons, word) ? (reasons[word] ?? 'stop') : 'stop';
}

const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'malformed-call': 'stop',
  'invalid-output': 'stop',
  other: 'stop',
};

const unsupportedReasons: ReadonlySet<FinishReason> = new Set(['pause', 'malformed-call', 'invalid-output', 'other']);

export function writeFinishReason(reason: FinishReason, lost: UnsupportedFields): string {
  if (unsupportedReasons.has(reason)) lost.add(`finish.${reason}`);
  return finishReasons[reason];
}

import type { FinishReason } from '../../../model/conversation.ts';

/** Finish reasons by Bedrock's stop reason. Any other value is read as `other`. */
const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'malformed-call'],
]);

export function readStopReason(reason: string): FinishReason {
  return reasons.get(reason) ?? 'other';
}

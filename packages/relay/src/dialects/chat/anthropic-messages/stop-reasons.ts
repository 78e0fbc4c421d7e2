import type { FinishReason } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';

/** Finish reasons by Anthropic's stop reason. Any other value is read as `other`. */
const reasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
]);

export function readStopReason(reason: string): FinishReason {
  return reasons.get(reason) ?? 'other';
}

const stopReasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'end_turn',
  'invalid-output': 'end_turn',
  other: 'end_turn',
};

const unsupportedReasons: ReadonlySet<FinishReason> = new Set(['malformed-call', 'invalid-output', 'other']);

interface End {
  reason: FinishReason;
  stopSequence?: string | undefined;
}

export function writeStopReason({ reason, stopSequence }: End, lost: UnsupportedFields): Record<string, unknown> {
  if (unsupportedReasons.has(reason)) lost.add(`finish.${reason}`);
  return {
    stop_reason: stopSequence === undefined ? stopReasons[reason] : 'stop_sequence',
    stop_sequence: stopSequence ?? null,
  };
}

import type { FinishReason } from '../../conversation.ts';
import type { Lost } from '../../format.ts';

const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'malformed-call': 'stop',
  other: 'stop',
};

const unsaid: ReadonlySet<FinishReason> = new Set(['pause', 'malformed-call', 'other']);

export function writeFinishReason(reason: FinishReason, lost: Lost): string {
  if (unsaid.has(reason)) lost.add(`finish.${reason}`);
  return finishReasons[reason];
}

import type { FinishReason } from '../../../model/conversation.ts';

/** Finish reasons by Google's value. Any other value is read as `other`. */
const reasons = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  // From servers that imitate Google's API.
  ['FUNCTION_CALL', 'tool-calls'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
  ['TOO_MANY_TOOL_CALLS', 'malformed-call'],
  ['MALFORMED_RESPONSE', 'invalid-output'],
  ['MISSING_THOUGHT_SIGNATURE', 'invalid-output'],
  ['NO_IMAGE', 'invalid-output'],
  ['IMAGE_OTHER', 'invalid-output'],
  ['LANGUAGE', 'invalid-output'],
  ['OTHER', 'invalid-output'],
]);

/** Reads a finish reason; `STOP` also follows calls. */
export function readFinishReason(said: string | undefined, hasCalls: boolean): FinishReason {
  const reason = reasons.get(said ?? 'STOP') ?? 'other';
  return reason === 'stop' && hasCalls ? 'tool-calls' : reason;
}

const finishReasons: Record<FinishReason, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  'invalid-output': 'OTHER',
  other: 'OTHER',
};

export function writeFinishReason(reason: FinishReason): string {
  return finishReasons[reason];
}

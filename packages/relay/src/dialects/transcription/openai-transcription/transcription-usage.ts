import { type JsonObject, numberOf, objectOf } from '../../../json/json.ts';
import { emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

/**
 * Newer models report tokens, whisper a duration; Groq and `verbose_json` tell the length of what was heard. Undefined
 * when the answer says nothing of it.
 */
export function readTranscriptionUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const second = secondsOf(usage['seconds'] ?? answer['duration']);
  const input = tokenCount(usage['input_tokens']);
  const output = tokenCount(usage['output_tokens']);
  if (second + input + output === 0) return undefined;
  const audioInput = Math.min(input, tokenCount(objectOf(usage['input_token_details'])['audio_tokens']));
  return { ...emptyUsage(), second, input: input - audioInput, audioInput, output };
}

/** A begun second is one; so is what is too short to be heard. */
function secondsOf(value: unknown): number {
  const seconds = numberOf(value);
  return seconds === undefined || seconds < 0 ? 0 : Math.max(1, tokenCount(seconds));
}

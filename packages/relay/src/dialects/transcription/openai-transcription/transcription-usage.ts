import { type JsonObject, numberOf, objectOf } from '../../../json/json.ts';
import { emptyUsage, markImplausible, Shares, toTokenCount, type Usage } from '../../../model/usage.ts';

/**
 * Newer models report tokens, whisper a duration; Groq and `verbose_json` tell the length of what was heard. Undefined
 * when the answer says nothing of it.
 */
export function readTranscriptionUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const second = secondsOf(usage['seconds'] ?? answer['duration']);
  const input = toTokenCount(usage['input_tokens']);
  const output = toTokenCount(usage['output_tokens']);
  if (second + input + output === 0) return undefined;
  const parts = new Shares(input);
  const audioInput = parts.take('audioInput', objectOf(usage['input_token_details'])['audio_tokens']);
  return {
    ...emptyUsage(),
    second,
    audioInput,
    input: parts.rest,
    output,
    ...markImplausible(...parts.implausible),
  };
}

/** A begun second is one; so is what is too short to be heard. */
function secondsOf(value: unknown): number {
  const seconds = numberOf(value);
  return seconds === undefined || seconds < 0 ? 0 : Math.max(1, toTokenCount(seconds));
}

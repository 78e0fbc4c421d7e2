import { type JsonObject, numberOf, objectOf } from '../../../json/json.ts';
import { emptyUsage, notBelieved, Shares, tokenCount, type Usage } from '../../../model/usage.ts';

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
  const parts = new Shares(input);
  const audioInput = parts.take('audioInput', objectOf(usage['input_token_details'])['audio_tokens']);
  return {
    ...emptyUsage(),
    second,
    audioInput,
    input: parts.rest,
    output,
    ...notBelieved(...parts.implausible),
  };
}

/** A begun second is one; so is what is too short to be heard. */
function secondsOf(value: unknown): number {
  const seconds = numberOf(value);
  return seconds === undefined || seconds < 0 ? 0 : Math.max(1, tokenCount(seconds));
}

import { type JsonObject, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { SpeechRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickKnownFields } from '../openai/defined-fields.ts';
import { openaiSpeech } from './openai-speech.ts';
import { rejectDecoding } from './speech-codec.ts';

/** The vendor's output formats by OpenAI's format. https://elevenlabs.io/docs/api-reference/text-to-speech/convert */
const outputFormats: ReadonlyMap<string, string> = new Map([
  ['mp3', 'mp3_44100_128'],
  ['opus', 'opus_48000_64'],
  ['wav', 'wav_24000'],
  ['pcm', 'pcm_24000'],
]);
const SLOWEST = 0.7;
const FASTEST = 1.2;

/** ElevenLabs' `/v1/text-to-speech/{voice}`: the voice and the audio format are in the URL. */
export const elevenlabsSpeech: UpstreamDialect = {
  id: 'elevenlabs-speech',
  operation: 'speech',
  // The responses are audio, which passes through unparsed.
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  binaryResponse: (body) => openaiSpeech.binaryResponse?.(body),
  upstreamCodecs: { speech: { encodeRequest, decodeResponse: rejectDecoding } },
};

/** @param body client's request. @throws InvalidRequestError */
export function resolveElevenlabsFormat(body: JsonObject): string {
  const format = textOf(body['response_format']) ?? 'mp3';
  const own = outputFormats.get(format);
  if (own === undefined)
    throw new InvalidRequestError(`This model does not support the format ${format}.`, 'response_format');
  return own;
}

function encodeRequest(
  { text, speed, instructions, more }: SpeechRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  if (instructions !== undefined) dropped.push('instructions');
  const known = pickKnownFields(['language_code', 'seed', 'voice_settings'], more, dropped);
  return pickDefinedFields({
    text,
    model_id: model,
    ...known,
    ...(speed !== undefined && { voice_settings: { speed: Math.min(Math.max(speed, SLOWEST), FASTEST) } }),
  });
}

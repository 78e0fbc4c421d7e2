import { type JsonObject, textOf } from '../../json/json.ts';
import type { SpeechRequest } from '../../model/neutral-requests.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { createSpeechDialect, limitSpeed, resolveAudioFormat } from './speech-dialect.ts';

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
export const elevenlabsSpeech = createSpeechDialect({ id: 'elevenlabs-speech', encodeRequest });

/** @param body client's request. @throws InvalidRequestError */
export function resolveElevenlabsFormat(body: JsonObject): string {
  return resolveAudioFormat(outputFormats, textOf(body['response_format']) ?? 'mp3');
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
    ...(speed !== undefined && { voice_settings: { speed: limitSpeed(speed, SLOWEST, FASTEST) } }),
  });
}

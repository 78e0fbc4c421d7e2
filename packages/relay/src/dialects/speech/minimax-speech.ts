import { garbledError } from '../../errors/upstream-error.ts';
import { type JsonObject, objectOf, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { GeneratedAudio, SpeechRequest } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount } from '../../model/usage.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { limitSpeed, resolveAudioFormat } from './speech-dialect.ts';

const formats: ReadonlyMap<string, string> = new Map(['mp3', 'flac', 'wav', 'pcm'].map((name) => [name, name]));
const SAMPLE_RATE = 24_000;
const SLOWEST = 0.5;
const FASTEST = 2;

/**
 * MiniMax' `/v1/t2a_v2`, which returns hexadecimal audio.
 * https://platform.minimax.io/docs/api-reference/speech-t2a-http
 */
export const minimaxSpeech: UpstreamDialect = {
  id: 'minimax-speech',
  operation: 'speech',
  readNonStreaming(answer) {
    const character = toTokenCount(objectOf(answer['extra_info'])['usage_characters']);
    return { usage: character === 0 ? undefined : { ...emptyUsage(), character }, content: [], binaries: [] };
  },
  upstreamCodecs: { speech: { encodeRequest, decodeResponse } },
};

/** @throws InvalidRequestError for an unsupported audio format */
function encodeRequest(
  { text, voice, format, speed, instructions, more }: SpeechRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  if (instructions !== undefined) dropped.push('instructions');
  // MiniMax bills the words of a `pronunciation_dict` instead of those of the text, and they may be much longer.
  const known = pickKnownFields(['language_boost', 'voice_modify'], more, dropped);
  // Voice and emotion, in the notation of similar gateways.
  const [name = '', emotion] = voice.split('|');
  return {
    model,
    text,
    stream: false,
    output_format: 'hex',
    voice_setting: pickDefinedFields({ voice_id: name, speed: limitSpeed(speed, SLOWEST, FASTEST), emotion }),
    audio_setting: { format: resolveAudioFormat(formats, format), sample_rate: SAMPLE_RATE, channel: 1 },
    ...known,
  };
}

function decodeResponse(answer: JsonObject): GeneratedAudio {
  const hex = textOf(objectOf(answer['data'])['audio']) ?? '';
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 0 || bytes.length * 2 !== hex.length)
    throw garbledError('The upstream returned no valid audio.');
  return { bytes };
}

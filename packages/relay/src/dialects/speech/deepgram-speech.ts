import { type JsonObject, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { SpeechRequest } from '../../model/neutral-requests.ts';
import { pushDroppedFields } from '../openai/defined-fields.ts';
import { openaiSpeech } from './openai-speech.ts';
import { readVoice, rejectDecoding } from './speech-codec.ts';

/** https://developers.deepgram.com/docs/tts-media-output-settings */
const encodings: ReadonlyMap<string, Record<string, string>> = new Map([
  ['mp3', { encoding: 'mp3' }],
  ['opus', { encoding: 'opus', container: 'ogg' }],
  ['aac', { encoding: 'aac' }],
  ['flac', { encoding: 'flac' }],
  ['wav', { encoding: 'linear16', container: 'wav', sample_rate: '24000' }],
  ['pcm', { encoding: 'linear16', container: 'none', sample_rate: '24000' }],
]);

/** Deepgram's `/v1/speak`: the body has the text, the query everything else. A model is a voice. */
export const deepgramSpeech: UpstreamDialect = {
  id: 'deepgram-speech',
  operation: 'speech',
  // The responses are audio, which passes through unparsed.
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  binaryResponse: (body) => openaiSpeech.binaryResponse?.(body),
  upstreamCodecs: { speech: { encodeRequest, decodeResponse: rejectDecoding } },
};

/** Builds the query. @param body client's request. @throws InvalidRequestError */
export function buildDeepgramSpeechQuery(model: string, body: JsonObject): string {
  const format = textOf(body['response_format']) ?? 'mp3';
  const encoding = encodings.get(format);
  if (encoding === undefined)
    throw new InvalidRequestError(`This model does not support the format ${format}.`, 'response_format');
  const voice = readVoice(body);
  return new URLSearchParams({ model: isDeepgramVoice(voice) ? voice : model, ...encoding }).toString();
}

function isDeepgramVoice(voice: string): boolean {
  return voice.startsWith('aura-');
}

function encodeRequest(
  { text, voice, speed, instructions, more }: SpeechRequest,
  _model: string,
  dropped: string[],
): Record<string, unknown> {
  pushDroppedFields({ voice: isDeepgramVoice(voice) ? undefined : voice, speed, instructions, ...more }, dropped);
  return { text };
}

import { type JsonObject, textOf } from '../../json/json.ts';
import type { SpeechRequest } from '../../model/neutral-requests.ts';
import { pushDroppedFields } from '../../translate/pick-fields.ts';
import { readVoice } from './openai-speech.ts';
import { createSpeechDialect, resolveAudioFormat } from './speech-dialect.ts';

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
export const deepgramSpeech = createSpeechDialect({ id: 'deepgram-speech', encodeRequest });

/** Builds the query. @param body client's request. @throws InvalidRequestError */
export function buildDeepgramSpeechQuery(model: string, body: JsonObject): string {
  const encoding = resolveAudioFormat(encodings, textOf(body['response_format']) ?? 'mp3');
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

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

/** Generation of a voice, such as `aura-2`, which determines its price. https://deepgram.com/pricing */
const generation = /^aura-(?:\d+(?=-|$))?/;

/** Deepgram's `/v1/speak`: the body has the text, the query everything else. A model is a voice. */
export const deepgramSpeech = createSpeechDialect({ id: 'deepgram-speech', encodeRequest });

/** Builds the query. @param body client's request. @throws InvalidRequestError */
export function buildDeepgramSpeechQuery(model: string, body: JsonObject): string {
  const encoding = resolveAudioFormat(encodings, textOf(body['response_format']) ?? 'mp3');
  const voice = readVoice(body);
  return new URLSearchParams({ model: mayReplace(model, voice) ? voice : model, ...encoding }).toString();
}

/** Returns whether the client's voice is one of Deepgram's that costs as much as the model, if that is a voice too. */
function mayReplace(model: string, voice: string): boolean {
  const [asked] = generation.exec(voice) ?? [];
  const [priced = asked] = generation.exec(model) ?? [];
  return asked !== undefined && asked === priced;
}

function encodeRequest(
  { text, voice, speed, instructions, more }: SpeechRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  pushDroppedFields({ voice: mayReplace(model, voice) ? undefined : voice, speed, instructions, ...more }, dropped);
  return { text };
}

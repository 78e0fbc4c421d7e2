import { numberOf, textOf } from '../../json/json.ts';
import type { SpeechRequest } from '../../model/neutral-requests.ts';
import { countCodePoints } from '../../tokens/text-samples-and-counts.ts';
import { pickDefinedFields, pushDroppedFields } from '../../translate/pick-fields.ts';
import { createSpeechDialect, limitSpeed, resolveAudioFormat } from './speech-dialect.ts';

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech#audio-outputs */
const outputFormats: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio-24khz-96kbitrate-mono-mp3'],
  ['opus', 'ogg-24khz-16bit-mono-opus'],
  ['wav', 'riff-24khz-16bit-mono-pcm'],
  ['pcm', 'raw-24khz-16bit-mono-pcm'],
]);
const SLOWEST = 0.5;
const FASTEST = 2;

/** Azure's `/cognitiveservices/v1`, which takes SSML. A voice may include a role: `zh-CN-YunxiNeural|Boy`. */
export const azureSpeech = createSpeechDialect({
  id: 'azure-speech',
  encodeRequest,
  countCharacters,
  pack: (body) => ({
    bytes: Buffer.from(writeSsml(body)),
    headers: { 'content-type': 'application/ssml+xml', 'x-microsoft-outputformat': textOf(body['format']) ?? '' },
  }),
});

function encodeRequest(
  { text, voice, format, speed, instructions, more }: SpeechRequest,
  _model: string,
  dropped: string[],
): Record<string, unknown> {
  pushDroppedFields({ instructions, ...more }, dropped);
  const rate = limitSpeed(speed, SLOWEST, FASTEST);
  return pickDefinedFields({ text, voice, format: resolveAudioFormat(outputFormats, format), rate });
}

/** Tags that are not billed. */
const unbilledTags = /<\/?(?:speak|voice)\b[^>]*>/g;
const entities = /&(?:amp|lt|gt|quot|apos);/g;
/** Han characters in pieces, because a longer run would exceed the stack of the regular expression. */
const hanCharacters = /\p{Script=Han}{1,1024}/gu;

/**
 * Counts the text and the markup of a speed or a role. A Chinese character counts as two, in any language that writes
 * it, and an escaped character as one.
 * https://learn.microsoft.com/azure/ai-services/speech-service/text-to-speech#billable-characters
 */
function countCharacters(ssml: string): number {
  const text = ssml.replaceAll(unbilledTags, '').replaceAll(entities, '&');
  return 2 * countCodePoints(text) - countCodePoints(text.replaceAll(hanCharacters, ''));
}

/** Writes SSML: https://learn.microsoft.com/azure/ai-services/speech-service/speech-synthesis-markup-structure */
function writeSsml(body: Readonly<Record<string, unknown>>): string {
  const [name = '', role] = (textOf(body['voice']) ?? '').split('|');
  const language = /^[a-z]{2,3}-[A-Z]{2}/.exec(name)?.[0] ?? 'en-US';
  const rate = numberOf(body['rate']);
  const text = escapeXml(textOf(body['text']) ?? '');
  const paced = rate === undefined ? text : `<prosody rate="${rate}">${text}</prosody>`;
  const acted = role ? `<mstts:express-as role="${escapeXml(role)}">${paced}</mstts:express-as>` : paced;
  const names = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts"';
  return `<speak version="1.0" ${names} xml:lang="${language}"><voice name="${escapeXml(name)}">${acted}</voice></speak>`;
}

/** Escapes a text for XML and removes characters that XML cannot represent. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { SpokenWord, Transcript, TranscriptionRequest } from '../../model/neutral-requests.ts';
import { toSecondsUsage } from '../../model/usage.ts';
import { pushDroppedFields } from '../../translate/pick-fields.ts';

/**
 * Deepgram's `/v1/listen`: the body is the audio, the query everything else.
 * https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded
 */
export const deepgramTranscription: UpstreamDialect = {
  id: 'deepgram-transcription',
  operation: 'transcription',
  readNonStreaming: (answer) => ({
    usage: toSecondsUsage(objectOf(answer['metadata'])['duration']),
    content: [readBestTranscript(answer).text],
    binaries: [],
  }),
  upstreamCodecs: { transcription: { encodeRequest, decodeResponse } },
  pack({ file }) {
    const { bytes, contentType } = objectOf(file);
    return {
      bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0),
      headers: { 'content-type': textOf(contentType) ?? 'application/octet-stream' },
    };
  },
};

/**
 * Returns the language; undefined if it has to be detected. Nova-3 has a higher price for `multi`, a recording in
 * several languages, which the price of the model does not cover.
 * https://developers.deepgram.com/docs/multilingual-code-switching, https://deepgram.com/pricing
 */
function readLanguage(model: string, value: unknown): string | undefined {
  const language = textOf(value);
  return language?.toLowerCase() === 'multi' && model.startsWith('nova-3') ? undefined : language;
}

/** Builds the query. @param body client's request */
export function buildDeepgramQuery(model: string, body: JsonObject): string {
  const language = readLanguage(model, body['language']);
  const query = new URLSearchParams({ model, smart_format: 'true' });
  if (language === undefined) query.set('detect_language', 'true');
  else query.set('language', language);
  return query.toString();
}

function encodeRequest(
  { file, language, prompt, temperature, more }: TranscriptionRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  const isDetected = readLanguage(model, language) === undefined;
  pushDroppedFields({ language: isDetected ? language : undefined, prompt, temperature, ...more }, dropped);
  return { file };
}

function decodeResponse(answer: JsonObject): Transcript {
  return readBestTranscript(answer);
}

/** Returns the transcript of the first audio channel. By default, all channels are transcribed as one. */
function readBestTranscript(answer: JsonObject): Transcript {
  const channel = objectOf(listOf(objectOf(answer['results'])['channels'])[0]);
  const best = objectOf(listOf(channel['alternatives'])[0]);
  return {
    text: textOf(best['transcript']) ?? '',
    language: textOf(channel['detected_language']),
    duration: numberOf(objectOf(answer['metadata'])['duration']),
    words: listOf(best['words']).filter(isObject).flatMap(readWord),
  };
}

function readWord({ word, punctuated_word, start, end }: JsonObject): SpokenWord[] {
  const text = textOf(punctuated_word) ?? textOf(word);
  if (text === undefined) return [];
  const from = numberOf(start) ?? 0;
  return [{ word: text, start: from, end: numberOf(end) ?? from }];
}

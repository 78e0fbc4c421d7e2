import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { SpokenWord, Transcript, TranscriptionRequest } from '../../model/neutral-requests.ts';
import { toSecondsUsage } from '../../model/usage.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { encodeForm } from '../../wire/multipart.ts';

const known = ['diarize', 'num_speakers', 'tag_audio_events', 'timestamps_granularity', 'seed'];

/** ElevenLabs' `/v1/speech-to-text`. https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
export const elevenlabsTranscription: UpstreamDialect = {
  id: 'elevenlabs-transcription',
  operation: 'transcription',
  readNonStreaming: (answer) => ({
    usage: toSecondsUsage(answer['audio_duration_secs']),
    content: [textOf(answer['text']) ?? ''],
    binaries: [],
  }),
  upstreamCodecs: { transcription: { encodeRequest, decodeResponse } },
  pack: encodeForm,
};

function encodeRequest(
  { file, language, prompt, temperature, more }: TranscriptionRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  if (prompt !== undefined) dropped.push('prompt');
  return pickDefinedFields({
    model_id: model,
    language_code: language,
    temperature,
    // By default, laughter and other events are among the words.
    tag_audio_events: false,
    ...pickKnownFields(known, more, dropped),
    file,
  });
}

function decodeResponse(answer: JsonObject): Transcript {
  return {
    text: textOf(answer['text']) ?? '',
    language: textOf(answer['language_code']),
    duration: numberOf(answer['audio_duration_secs']),
    words: listOf(answer['words']).flatMap((word) => readWord(objectOf(word))),
  };
}

/** Returns a word with its times. Skips spaces, which are separate entries. */
function readWord({ text, start, end, type }: JsonObject): SpokenWord[] {
  const word = textOf(text);
  if (word === undefined || type !== 'word') return [];
  const from = numberOf(start) ?? 0;
  return [{ word, start: from, end: numberOf(end) ?? from }];
}

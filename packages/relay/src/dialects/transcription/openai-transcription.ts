import { getFileBytes } from '../../exchange/multipart-request.ts';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../json/json.ts';
import { measureAudioLength } from '../../media/audio-length.ts';
import { estimateRecordingUsage } from '../../media/recording-usage.ts';
import type { ClientCodec, Dialect, UsageExtractor } from '../../model/dialect.ts';
import type { DialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { Transcript, TranscriptionRequest } from '../../model/neutral-requests.ts';
import { emptyUsage, markImplausible, Shares, toTokenCount, type Usage } from '../../model/usage.ts';
import { pickUncoveredFields, setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { findLastSegmentEnd, findLastSubtitleEnd, splitSegments, writeSubtitles } from './segments-and-subtitles.ts';

const covered = new Set('model file language prompt temperature response_format timestamp_granularities'.split(' '));

/**
 * Fields that name another recording than the file of the form, whose length is charged: Mistral's and Groq's.
 * https://docs.mistral.ai/studio/audio/speech-to-text/transcribe-files, https://console.groq.com/docs/api-reference
 */
const otherRecordings: readonly string[] = ['file_url', 'file_id', 'url'];

/**
 * Types of the last event of a stream: OpenAI's and Mistral's. Sources: OpenAI's reference below, and
 * `TranscriptionStreamEvents` in https://github.com/mistralai/client-ts.
 */
const endTypes: readonly string[] = ['transcript.text.done', 'transcription.done'];
/** Type of Mistral's event with a piece of text. Its field `text` has the whole text in the last event. */
const MISTRAL_DELTA = 'transcription.text.delta';

/** Codec of transcription requests for upstreams with another dialect. */
const transcriptionCodec: ClientCodec<TranscriptionRequest, Transcript> = {
  decodeRequest(body, { body: bytes, form }) {
    const file = form && getFileBytes(bytes, form, 'file');
    if (file === undefined) throw new InvalidRequestError('Missing required parameter: file.', 'file');
    const { filename, content_type: contentType } = objectOf([body['file']].flat()[0]);
    return {
      file: {
        bytes: file,
        filename: textOf(filename) ?? 'audio',
        contentType: textOf(contentType) ?? 'application/octet-stream',
      },
      language: textOf(body['language']),
      prompt: textOf(body['prompt']),
      // All form fields are text.
      temperature: numberOf(Number.parseFloat(textOf(body['temperature']) ?? '')),
      more: pickUncoveredFields(covered, body),
    };
  },
  encodeResponse(transcript, body) {
    const format = textOf(body['response_format']) ?? 'json';
    if (format === 'text') return `${transcript.text}\n`;
    if (format === 'srt' || format === 'vtt') return writeSubtitles(transcript, format);
    const { text, duration } = transcript;
    const usage = duration !== undefined && { usage: { type: 'duration', seconds: Math.ceil(duration) } };
    return format === 'verbose_json' ? { ...encodeVerbose(transcript, body), ...usage } : { text, ...usage };
  },
};
const plainFormats = new Set(['text', 'srt', 'vtt']);
const textTypes = /^(text\/(plain|vtt|srt)|application\/x-subrip)(;|$)/i;
function encodeVerbose(transcript: Transcript, body: JsonObject): Record<string, unknown> {
  const { text, language, duration, words } = transcript;
  const asked = new Set([body['timestamp_granularities']].flat());
  return {
    task: 'transcribe',
    ...(language !== undefined && { language }),
    duration: duration ?? words.at(-1)?.end ?? 0,
    text,
    ...(asked.has('word') && { words }),
    ...((asked.has('segment') || !asked.has('word')) && {
      segments: splitSegments(transcript).map((segment, id) => ({ id, ...segment })),
    }),
  };
}

/** `/v1/audio/transcriptions`. https://platform.openai.com/docs/api-reference/audio/createTranscription */
export const openaiTranscription: Dialect = {
  ...createTranscriptionDialect('openai-transcription'),
  clientCodecs: { transcription: transcriptionCodec },
};

/** `/v1/audio/translations`, transcription into English. */
export const openaiTranslation = createTranscriptionDialect('openai-translation');

function createTranscriptionDialect(id: DialectId): Dialect {
  return {
    id,
    operation: 'transcription',
    readFacts(body, files) {
      const file = files('file');
      if (file === undefined || !isObject(body['file']))
        throw new InvalidRequestError('Missing required parameter: file. Send it as a file of a form.', 'file');
      const { seconds, isMeasured, isContradicted } = measureAudioLength(file);
      const usage = { ...estimateRecordingUsage(seconds), ...(isContradicted && markImplausible('second')) };
      return {
        hasTools: false,
        maxOutputTokens: usage.output,
        choices: 1,
        expected: { unit: 'second', usage, isCounted: isMeasured },
      };
    },
    prepare: (body, { model, dropped }) => setModel(removeOtherRecordings(body, dropped), { model }),
    // OpenAI's whisper-1 ignores `stream`.
    mayIgnoreStream: true,
    usageExtractor: {
      watch: {
        content: ['delta'],
        binary: [],
        notable: [],
        notableValues: [...endTypes, MISTRAL_DELTA].map((type) => ['type', type] as const),
      },
      endsWithDone: true,
      create: () => new TranscriptUsageExtractor(),
    },
    readNonStreaming: (answer) => ({
      usage: readTranscriptionUsage(answer),
      content: [textOf(answer['text']) ?? ''],
      binaries: [],
      transcribedSeconds: findLastSegmentEnd(answer),
    }),
    // Silence gives a transcript without words.
    resultCount: ({ text, segments }) => (typeof text === 'string' || Array.isArray(segments) ? 1 : 0),
    expectedResults: () => ({ least: 1, most: 1 }),
    binaryResponse(body) {
      if (!plainFormats.has(textOf(body['response_format']) ?? 'json')) return undefined;
      return {
        isStreamed: false,
        contentType: 'text/plain; charset=utf-8',
        accepted: textTypes,
        isText: true,
        lastTimeIn: findLastSubtitleEnd,
      };
    },
    encodeError: encodeOpenaiError,
    encodeStreamError: encodeOpenaiStreamError,
  };
}

/** Returns the same object without such a field. */
function removeOtherRecordings(body: JsonObject, dropped: string[]): JsonObject {
  const named = otherRecordings.filter((field) => body[field] !== undefined);
  if (named.length === 0) return body;
  dropped.push(...named);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !named.includes(field)));
}

class TranscriptUsageExtractor implements UsageExtractor {
  usage: Usage | undefined;
  finished = false;
  characters = 0;

  readEvent(event: JsonObject): boolean {
    const type = textOf(event['type']) ?? '';
    if (type === MISTRAL_DELTA) this.characters += textOf(event['text'])?.length ?? 0;
    if (!endTypes.includes(type)) return true;
    this.finished = true;
    this.usage = readTranscriptionUsage(event);
    return true;
  }
}

/**
 * Reads usage. Newer models report tokens, whisper a duration; Groq and `verbose_json` report the length of the
 * audio, as does Mistral (`UsageInfo` in https://github.com/mistralai/client-ts).
 * @returns undefined if the response reports none
 */
export function readTranscriptionUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const second = secondsOf(usage['seconds'] ?? usage['prompt_audio_seconds'] ?? answer['duration']);
  const input = toTokenCount(usage['input_tokens']);
  const output = toTokenCount(usage['output_tokens']);
  if (second + input + output === 0) return undefined;
  const parts = new Shares(input);
  const audioInput = parts.take('audioInput', objectOf(usage['input_token_details'])['audio_tokens']);
  return { ...emptyUsage(), second, audioInput, input: parts.rest, output, ...markImplausible(...parts.implausible) };
}

/** Returns whole seconds, rounded up, at least 1. */
function secondsOf(value: unknown): number {
  const seconds = numberOf(value);
  return seconds === undefined || seconds < 0 ? 0 : Math.max(1, toTokenCount(seconds));
}

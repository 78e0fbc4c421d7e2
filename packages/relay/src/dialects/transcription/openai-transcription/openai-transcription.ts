import { isObject, type JsonObject, textOf } from '../../../json/json.ts';
import { soundLength } from '../../../media/audio-length.ts';
import type { Dialect, StreamTap } from '../../../model/format.ts';
import type { FormatId } from '../../../model/format-id.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { emptyUsage, type Usage } from '../../../model/usage.ts';
import { withModel } from '../../openai/model-and-stream.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../../openai/openai-errors.ts';
import { transcriptionSurface } from './transcription-surface.ts';
import { readTranscriptionUsage } from './transcription-usage.ts';

/** OpenAI's billed input tokens for a second of audio, and roughly the output tokens for its speech. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 4;

const plainFormats = new Set(['text', 'srt', 'vtt']);
const textTypes = /^(text\/(plain|vtt|srt)|application\/x-subrip)(;|$)/i;

/** `/v1/audio/transcriptions`. https://platform.openai.com/docs/api-reference/audio/createTranscription */
export const openaiTranscription: Dialect = {
  ...transcriptionDialect('openai-transcription'),
  asks: { transcription: transcriptionSurface },
};

/** `/v1/audio/translations`, the same into English. */
export const openaiTranslation = transcriptionDialect('openai-translation');

function transcriptionDialect(id: FormatId): Dialect {
  return {
    id,
    operation: 'transcription',
    readFacts(body, files) {
      const file = files('file');
      if (file === undefined || !isObject(body['file']))
        throw new InvalidRequest('Missing required parameter: file. Send it as a file of a form.', 'file');
      const { seconds, isMeasured } = soundLength(file);
      const output = seconds * OUTPUT_TOKENS_PER_SECOND;
      const audioInput = seconds * INPUT_TOKENS_PER_SECOND;
      return {
        hasTools: false,
        maxOutputTokens: output,
        choices: 1,
        expected: {
          unit: 'second',
          usage: { ...emptyUsage(), second: seconds, audioInput, output },
          isCounted: isMeasured,
        },
      };
    },
    prepare: withModel,
    // OpenAI's whisper-1 does not stream, whatever it is asked.
    mayAnswerWhole: true,
    tap: {
      watch: {
        content: ['delta'],
        binary: [],
        notable: [],
        notableValues: [['type', 'transcript.text.done']],
      },
      endsWithDone: true,
      create: () => new TranscriptTap(),
    },
    readWhole: (answer) => ({
      usage: readTranscriptionUsage(answer),
      content: [textOf(answer['text']) ?? ''],
      binaries: [],
    }),
    // Silence is a transcript without a word.
    resultCount: ({ text, segments }) => (typeof text === 'string' || Array.isArray(segments) ? 1 : 0),
    expectedResults: () => ({ least: 1, most: 1 }),
    plainAnswer(body) {
      if (!plainFormats.has(textOf(body['response_format']) ?? 'json')) return undefined;
      return {
        isStreamed: false,
        contentType: 'text/plain; charset=utf-8',
        accepted: textTypes,
        isText: true,
      };
    },
    encodeError: encodeOpenaiError,
    encodeStreamError: encodeOpenaiStreamError,
  };
}

class TranscriptTap implements StreamTap {
  usage: Usage | undefined;
  finished = false;

  note(event: JsonObject): boolean {
    if (event['type'] !== 'transcript.text.done') return true;
    this.finished = true;
    this.usage = readTranscriptionUsage(event);
    return true;
  }
}

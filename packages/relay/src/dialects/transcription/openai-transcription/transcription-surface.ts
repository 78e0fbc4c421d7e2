import { type JsonObject, numberOf, objectOf, textOf } from '../../../json/json.ts';
import type { ClientSurface } from '../../../model/format.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import type { Transcript, TranscriptionAsked } from '../../../model/surfaces.ts';
import { fileBytes } from '../../../translate/form-request.ts';
import { fieldsBeyond } from '../../openai/defined-fields.ts';
import { segmentsOf, writeSubtitles } from './subtitles.ts';

const covered = new Set(
  'model file language prompt temperature response_format timestamp_granularities'.split(' '),
);

/** Sound to be written down, for an upstream that has its own way to be asked for it. */
export const transcriptionSurface: ClientSurface<TranscriptionAsked, Transcript> = {
  decodeRequest(body, { body: bytes, form }) {
    const file = form && fileBytes(bytes, form, 'file');
    if (file === undefined) throw new InvalidRequest('Missing required parameter: file.', 'file');
    const { filename, content_type: contentType } = objectOf([body['file']].flat()[0]);
    return {
      file: {
        bytes: file,
        filename: textOf(filename) ?? 'audio',
        contentType: textOf(contentType) ?? 'application/octet-stream',
      },
      language: textOf(body['language']),
      prompt: textOf(body['prompt']),
      // In a form all fields are texts.
      temperature: numberOf(Number.parseFloat(String(body['temperature']))),
      more: fieldsBeyond(covered, body),
    };
  },
  encodeAnswer(transcript, body) {
    const format = textOf(body['response_format']) ?? 'json';
    if (format === 'text') return `${transcript.text}\n`;
    if (format === 'srt' || format === 'vtt') return writeSubtitles(transcript, format);
    const { text, duration } = transcript;
    const usage = duration !== undefined && { usage: { type: 'duration', seconds: Math.ceil(duration) } };
    return format === 'verbose_json' ? { ...verbose(transcript, body), ...usage } : { text, ...usage };
  },
};

function verbose(transcript: Transcript, body: JsonObject): Record<string, unknown> {
  const { text, language, duration, words } = transcript;
  const asked = new Set([body['timestamp_granularities']].flat());
  return {
    task: 'transcribe',
    ...(language !== undefined && { language }),
    duration: duration ?? words.at(-1)?.end ?? 0,
    text,
    ...(asked.has('word') && { words }),
    ...((asked.has('segment') || !asked.has('word')) && {
      segments: segmentsOf(transcript).map((segment, id) => ({ id, ...segment })),
    }),
  };
}

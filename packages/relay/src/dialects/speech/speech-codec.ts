import { garbledError } from '../../errors/response-errors.ts';
import { numberOf, objectOf, textOf } from '../../json/json.ts';
import type { ClientCodec } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { GeneratedAudio, SpeechRequest } from '../../model/neutral-requests.ts';
import { requireText } from '../../translate/request-fields.ts';
import { pickUncoveredFields } from '../openai/defined-fields.ts';

const covered = new Set('model input voice instructions response_format speed stream_format'.split(' '));

/** Codec of text-to-speech requests for upstreams with another dialect. */
export const speechCodec: ClientCodec<SpeechRequest, GeneratedAudio> = {
  decodeRequest(body) {
    if (body['stream_format'] === 'sse')
      throw new InvalidRequestError('This model returns audio, not events.', 'stream_format');
    return {
      text: requireText(body, 'input'),
      voice: readVoice(body),
      format: textOf(body['response_format']) ?? 'mp3',
      speed: numberOf(body['speed']),
      instructions: textOf(body['instructions']),
      more: pickUncoveredFields(covered, body),
    };
  },
  encodeResponse: ({ bytes }) => bytes,
};

/** Reads the voice: a name, or an object with one. */
export function readVoice(body: Readonly<Record<string, unknown>>): string {
  const { voice } = body;
  return textOf(voice) ?? textOf(objectOf(voice)['id']) ?? '';
}

/**
 * Rejects decoding in dialects whose response is the audio itself and passes through unparsed.
 * @throws UpstreamError `garbled`
 */
export function rejectDecoding(): never {
  throw garbledError('The upstream did not return audio.');
}

/** Shared implementation for upstreams of speech that no client dialect matches. */

import { garbledError } from '../../errors/upstream-error.ts';
import { describeValue } from '../../json/describe-value.ts';
import type { UpstreamCodec, UpstreamDialect } from '../../model/dialect.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { GeneratedAudio, SpeechRequest } from '../../model/neutral-requests.ts';
import { openaiSpeech } from './openai-speech.ts';

interface SpeechDialectSpec extends Pick<UpstreamDialect, 'pack' | 'countCharacters'> {
  id: UpstreamDialectId;
  encodeRequest: UpstreamCodec<SpeechRequest, GeneratedAudio>['encodeRequest'];
}

/** Creates a dialect whose responses are the audio itself, which passes through unparsed. */
export function createSpeechDialect({ encodeRequest, ...own }: SpeechDialectSpec): UpstreamDialect {
  return {
    ...own,
    operation: 'speech',
    readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
    binaryResponse: (body) => openaiSpeech.binaryResponse?.(body),
    upstreamCodecs: { speech: { encodeRequest, decodeResponse: rejectDecoding } },
  };
}

/** @throws UpstreamError `garbled` */
function rejectDecoding(): never {
  throw garbledError('The upstream did not return audio.');
}

/**
 * Returns the vendor's audio format by OpenAI's name.
 * @throws InvalidRequestError for a format that the vendor lacks
 */
export function resolveAudioFormat<Format>(formats: ReadonlyMap<string, Format>, format: string): Format {
  const own = formats.get(format);
  if (own !== undefined) return own;
  throw new InvalidRequestError(
    `This model does not support the format ${describeValue(format)}. Use one of ${[...formats.keys()].join(', ')}.`,
    'response_format',
  );
}

/** Returns the nearest speed that the vendor supports; undefined if none was requested. */
export function limitSpeed(speed: number | undefined, slowest: number, fastest: number): number | undefined {
  return speed === undefined ? undefined : Math.min(Math.max(speed, slowest), fastest);
}

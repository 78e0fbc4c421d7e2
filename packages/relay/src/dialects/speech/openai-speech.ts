import { requireText } from '../../exchange/check-request-fields.ts';
import { describeType } from '../../json/describe-value.ts';
import { type JsonObject, numberOf, objectOf, textOf } from '../../json/json.ts';
import { PassingAudioLength } from '../../media/audio-length.ts';
import { SPEECH_TOKENS_PER_SECOND } from '../../media/recording-usage.ts';
import type { ClientCodec, Dialect, UsageExtractor, UsageExtractorFactory } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { GeneratedAudio, SpeechRequest } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount, type Usage } from '../../model/usage.ts';
import { countCodePoints, countWideCharacters } from '../../tokens/text-samples-and-counts.ts';
import { pickKnownFields, pickUncoveredFields, setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';

/** https://platform.openai.com/docs/api-reference/audio/createSpeech */
const contentTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const audioTypes = /^(audio\/[\w.+-]{1,60}|application\/octet-stream)(;|$)/i;

/** Speech has about 15 characters per second, 4.5 in Chinese or Japanese. */
const TOKENS_PER_CHARACTER = SPEECH_TOKENS_PER_SECOND / 15;
const TOKENS_PER_WIDE_CHARACTER = SPEECH_TOKENS_PER_SECOND / 4.5;

const openaiFields = 'model input voice instructions response_format speed stream_format'.split(' ');
const covered = new Set(openaiFields);
/**
 * Fields that compatible servers get: OpenAI's, and options of other vendors that change neither the text nor the
 * model. Resellers merge others into the request to their vendor (New API: `metadata`), where they replace the text
 * that is billed, or speak a word as a longer one (`pronunciation_dict`).
 */
const sentFields = [
  ...openaiFields,
  ...'language lang_code language_code seed temperature sample_rate gain volume volume_multiplier'.split(' '),
];

const usageExtractor: UsageExtractorFactory = {
  watch: { content: [], binary: ['audio'], notable: ['audio'], notableValues: [['type', 'speech.audio.done']] },
  endsWithDone: true,
  create: () => new SpeechUsageExtractor(),
};

/** Codec of text-to-speech requests for upstreams with another dialect. */
const speechCodec: ClientCodec<SpeechRequest, GeneratedAudio> = {
  decodeRequest(body) {
    if (body['stream_format'] === 'sse')
      throw new InvalidRequestError(
        'This model returns audio, not events. Omit stream_format, or set it to audio.',
        'stream_format',
      );
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

/** OpenAI's `/v1/audio/speech`, as raw audio or events. Billed by the characters of the text. */
export const openaiSpeech: Dialect = {
  id: 'openai-speech',
  operation: 'speech',
  readFacts(body) {
    const input = requireText(body, 'input');
    const format = body['response_format'] ?? 'mp3';
    if (typeof format !== 'string')
      throw new InvalidRequestError(
        `response_format must be a string, not ${describeType(format)}.`,
        'response_format',
      );
    const wide = countWideCharacters(input);
    const character = countCodePoints(input);
    const audioOutput = Math.ceil((input.length - wide) * TOKENS_PER_CHARACTER + wide * TOKENS_PER_WIDE_CHARACTER);
    const second = Math.ceil(audioOutput / SPEECH_TOKENS_PER_SECOND);
    return {
      hasTools: false,
      maxOutputTokens: audioOutput,
      choices: 1,
      stream: true,
      expected: { unit: 'character', usage: { ...emptyUsage(), character, audioOutput, second }, isCounted: true },
    };
  },
  prepare: (body, asking) => setModel(pickKnownFields(sentFields, body, asking.dropped), asking),
  usageExtractor,
  readNonStreaming: (answer) => ({ usage: readSpeechUsage(answer['usage']), content: [], binaries: [] }),
  binaryResponse(body) {
    if (body['stream_format'] === 'sse') return undefined;
    const format = textOf(body['response_format']) ?? 'mp3';
    const contentType = Object.hasOwn(contentTypes, format) ? contentTypes[format] : undefined;
    return {
      isStreamed: true,
      contentType: contentType ?? 'application/octet-stream',
      accepted: audioTypes,
      isText: false,
    };
  },
  clientCodecs: { speech: speechCodec },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};

/** Reads the voice: a name, or an object with one. */
export function readVoice(body: Readonly<Record<string, unknown>>): string {
  const { voice } = body;
  return textOf(voice) ?? textOf(objectOf(voice)['id']) ?? '';
}

class SpeechUsageExtractor implements UsageExtractor {
  usage: Usage | undefined;
  finished = false;
  readonly #audio = new PassingAudioLength();

  get audioSeconds(): number | undefined {
    return this.#audio.seconds;
  }

  readEvent(event: JsonObject): boolean {
    this.#audio.add(Buffer.from(textOf(event['audio']) ?? '', 'base64'));
    if (event['type'] !== 'speech.audio.done') return true;
    this.finished = true;
    this.usage = readSpeechUsage(event['usage']);
    return true;
  }
}

/** Reads usage: text input, audio output. */
function readSpeechUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const input = toTokenCount(usage['input_tokens']);
  const audioOutput = toTokenCount(usage['output_tokens']);
  return input + audioOutput === 0 ? undefined : { ...emptyUsage(), input, audioOutput };
}

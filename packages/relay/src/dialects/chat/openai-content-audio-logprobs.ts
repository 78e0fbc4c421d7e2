import { DEPTH_MAX, listOf, numberOf, objectOf } from '../../json/json.ts';
import type { ResponseEvent, TokenLogprob, TokenProbability } from '../../model/conversation.ts';
import type { NonStreamingResponse } from '../../model/dialect.ts';
import type { WatchedKeys } from '../../wire/sse-event-scan.ts';

/** Media types by this dialect's names of audio formats. */
const mediaTypes = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['pcm16', 'audio/pcm'],
]);
const formats = new Map([
  ...[...mediaTypes].map(([format, mediaType]) => [mediaType, format] as const),
  ['audio/x-wav', 'wav'] as const,
  ['audio/mp3', 'mp3'] as const,
]);
/** Base64 prefixes by audio container: a response doesn't name its container, and streams are raw samples. */
const base64Prefixes = [
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mpeg'],
  ['//', 'audio/mpeg'],
  ['T2dnU', 'audio/ogg'],
  ['ZkxhQ', 'audio/flac'],
] as const;

type Content = Pick<NonStreamingResponse, 'content' | 'binaries'> & { images: number };

/**
 * Returns the content of a non-streaming response's choices that a stream's scan would find, down to `DEPTH_MAX` levels.
 * A text that a choice has under two names counts once.
 */
export function collectContent(choices: unknown, watch: WatchedKeys): Content {
  const content: string[] = [];
  const binaries: string[] = [];
  let images = 0;
  const read = (value: unknown, depth: number, keys: Map<string, string>): void => {
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
    for (const [name, inner] of Object.entries(value)) {
      if (inner !== null && watch.images?.includes(name) === true) images++;
      if (typeof inner !== 'string') {
        if (watch.sources?.includes(name) !== true) read(inner, depth + 1, keys);
      } else if (watch.content.includes(name)) {
        if ((keys.get(inner) ?? name) === name) content.push(inner);
        keys.set(inner, name);
      } else if (watch.binary.includes(name)) binaries.push(inner);
    }
  };
  for (const choice of listOf(choices)) read(choice, 1, new Map());
  return { content, binaries, images };
}

export function audioMediaType(format: string): string {
  return mediaTypes.get(format) ?? `audio/${format}`;
}

export function audioFormat(mediaType: string): string {
  return formats.get(mediaType) ?? mediaType.replace(/^audio\//, '');
}

export function detectAudioType(base64: string): string {
  return base64Prefixes.find(([start]) => base64.startsWith(start))?.[1] ?? 'audio/pcm';
}

/** Reads the log probabilities of tokens, which have the same form in both of OpenAI's chat dialects. */
export function readLogprobs(value: unknown): ResponseEvent[] {
  const tokens = listOf(value).flatMap(readToken);
  return tokens.length > 0 ? [{ type: 'logprobs', tokens }] : [];
}

function readToken(value: unknown): TokenLogprob[] {
  const top = listOf(objectOf(value)['top_logprobs']).flatMap(readProbability);
  return readProbability(value).map((token) => ({ ...token, top }));
}

function readProbability(value: unknown): TokenProbability[] {
  const { token, logprob: given, bytes: numbers } = objectOf(value);
  const logprob = numberOf(given);
  if (typeof token !== 'string' || logprob === undefined) return [];
  const bytes = listOf(numbers).filter((byte) => typeof byte === 'number');
  return [{ token, logprob, ...(bytes.length > 0 && { bytes }) }];
}

/** @param noBytes value of `bytes` if they are unknown */
export function writeLogprob({ top, ...token }: TokenLogprob, noBytes: null | []): Record<string, unknown> {
  const written = (probability: TokenProbability) => ({ ...probability, bytes: probability.bytes ?? noBytes });
  return { ...written(token), top_logprobs: top.map(written) };
}

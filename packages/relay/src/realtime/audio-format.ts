import { numberOf, objectOf } from '../json/json.ts';

/** Format of audio, by the base64 bytes in a second of it. */
export interface SoundFormat {
  bytesPerSecond: number;
}

/** https://platform.openai.com/docs/guides/realtime-conversations: 16-bit mono. */
const BYTES_PER_SAMPLE = 2;
const RATE = { usual: 24_000, least: 8_000, most: 192_000 };
/** G.711 is what telephones speak: eight bits, 8,000 times a second. */
const TELEPHONE: SoundFormat = { bytesPerSecond: 8_000 };
export const usualSound: SoundFormat = { bytesPerSecond: RATE.usual * BYTES_PER_SAMPLE };

const telephones: ReadonlySet<unknown> = new Set(['audio/pcmu', 'audio/pcma', 'g711_ulaw', 'g711_alaw']);

/**
 * Returns the format of a session's `format`: `{type: 'audio/pcm', rate: 24000}`; in the beta it is a name, `pcm16`.
 */
export function soundFormatOf(value: unknown): SoundFormat {
  const { type = value, rate } = objectOf(value);
  if (telephones.has(type)) return TELEPHONE;
  const told = numberOf(rate) ?? RATE.usual;
  return { bytesPerSecond: Math.min(RATE.most, Math.max(RATE.least, told)) * BYTES_PER_SAMPLE };
}

/** @param base64 sound, or a piece of it */
export function secondsOf(base64: string, { bytesPerSecond }: SoundFormat): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, (base64.length * 3) / 4 - padding) / bytesPerSecond;
}

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

export function audioMediaType(format: string): string {
  return mediaTypes.get(format) ?? `audio/${format}`;
}

export function audioFormat(mediaType: string): string {
  return formats.get(mediaType) ?? mediaType.replace(/^audio\//, '');
}

/** Base64 prefixes by audio container: a response doesn't name its container, and streams are raw samples. */
const base64Prefixes = [
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mpeg'],
  ['//', 'audio/mpeg'],
  ['T2dnU', 'audio/ogg'],
  ['ZkxhQ', 'audio/flac'],
] as const;

export function detectAudioType(base64: string): string {
  return base64Prefixes.find(([start]) => base64.startsWith(start))?.[1] ?? 'audio/pcm';
}

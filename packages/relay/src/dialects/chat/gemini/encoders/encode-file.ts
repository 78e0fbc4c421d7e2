import type { AudioPart, FilePart, ImagePart, VideoPart } from '../../../../model/conversation.ts';

/** Media types by file extension of the URL, because the vendor requires the type. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** Default media types for URLs whose extension reveals none; a video (YouTube) needs none. */
const usual = { image: 'image/jpeg', audio: 'audio/mp3', file: 'application/pdf', video: undefined };

/** Addresses are read by the vendor, as far as it does that: nothing is fetched here. */
export function encodeFile(
  part: ImagePart | AudioPart | VideoPart | FilePart,
  dropped: string[],
): Record<string, unknown> {
  const { source } = part;
  if (part.type === 'image' && (part.detail ?? 'auto') !== 'auto') dropped.push('messages.content.image_url.detail');
  if (part.type === 'file' && part.name !== undefined) dropped.push('messages.content.file.filename');
  if ('base64' in source) return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(source.url)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
  const mimeType = known ?? usual[part.type];
  return { fileData: { fileUri: source.url, ...(mimeType !== undefined && { mimeType }) } };
}

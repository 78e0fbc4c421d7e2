import { detectMediaType } from '@switchyard/relay';

/** Types that browsers show; others are refused. */
const displayableTypes = /^(?:audio|video)\/|^image\/(?:png|jpeg|gif|webp|avif|heic)$/;

/** Returns the media type of a film, a picture or a song by its first bytes; undefined for every other file. */
export function workType(bytes: Buffer): string | undefined {
  const type = detectMediaType(bytes);
  return type !== undefined && displayableTypes.test(type) ? type : undefined;
}

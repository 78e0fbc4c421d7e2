import type { Readable } from 'node:stream';
import { detectMediaType } from '@switchyard/relay';

/** Why a work is not kept. */
export class ArtifactRejected extends Error {}

/** First and last byte. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Store of artifacts. */
export interface ArtifactStore {
  /** All or nothing: what fails, or is aborted, leaves nothing under this id. */
  write(id: string, pieces: AsyncIterable<Buffer>, mediaType: string, signal: AbortSignal): Promise<void>;
  /** @throws when it is not there */
  read(id: string, range: ByteRange, signal: AbortSignal): Promise<Readable>;
  /** Does nothing where there is nothing. */
  remove(id: string): Promise<void>;
}

/** Types that browsers show; others are refused. */
const displayableTypes = /^(?:audio|video)\/|^image\/(?:png|jpeg|gif|webp|avif|heic)$/;

/** Returns the media type of a film, a picture or a song by its first bytes; undefined for every other file. */
export function workType(bytes: Buffer): string | undefined {
  const type = detectMediaType(bytes);
  return type !== undefined && displayableTypes.test(type) ? type : undefined;
}

import type { Readable } from 'node:stream';
import { detectMediaType } from '@switchyard/relay';

/** Reason for which an artifact is not stored. */
export class ArtifactRejectedError extends Error {}

/** First and last byte, both inclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Store of artifacts. */
export interface ArtifactStore {
  /** Writes an artifact completely or not at all: a failed or aborted write leaves nothing under this id. */
  write(id: string, pieces: AsyncIterable<Buffer>, mediaType: string, signal: AbortSignal): Promise<void>;
  /** @throws if the artifact does not exist */
  read(id: string, range: ByteRange, signal: AbortSignal): Promise<Readable>;
  /** Removes an artifact if it exists. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}

/** Types that browsers can show. Others are rejected. */
const displayableTypes = /^(?:audio|video)\/|^image\/(?:png|jpeg|gif|webp|avif|heic)$/;

/** Returns the media type of a video, an image or audio by its first bytes; undefined for every other file. */
export function workType(bytes: Buffer): string | undefined {
  const type = detectMediaType(bytes);
  return type !== undefined && displayableTypes.test(type) ? type : undefined;
}

import type { Readable } from 'node:stream';

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

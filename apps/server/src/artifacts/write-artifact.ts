import { SIGNATURE_BYTES } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { ArtifactRejected } from './artifact-store.ts';
import { workType } from './artifact-type.ts';
import { openArtifactStore } from './open-artifact-store.ts';
import type { StoredWorkTable } from './table.ts';

export const MEGABYTE = 1_048_576;

/**
 * Writes a work as it comes.
 * @throws WorkRefused when it is too large or neither a film, nor a picture, nor a song; else what the store throws
 */
export async function writeArtifact(
  ctx: Context,
  row: Pick<StoredWorkTable, 'id' | 'store'>,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<{ bytes: number; mediaType: string }> {
  const pieces = body[Symbol.asyncIterator]();
  const start = await readStart(pieces);
  const mediaType = workType(start);
  if (mediaType === undefined)
    throw new ArtifactRejected('The provider sent neither a video nor an image nor audio');
  const bytesMax = ctx.settings.resultMaxMegabytes * MEGABYTE;
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for (let piece: Buffer | undefined = start; piece !== undefined; piece = await readNext(pieces)) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new ArtifactRejected('The artifact is larger than the maximum stored size');
      yield piece;
    }
  };
  await openArtifactStore(ctx, row).write(row.id, counted(), mediaType, signal);
  return { bytes, mediaType };
}

/** Reads enough of the beginning to detect the media type, or everything if there is less. */
async function readStart(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < SIGNATURE_BYTES) {
    const piece = await readNext(pieces);
    if (piece === undefined) break;
    start = Buffer.concat([start, piece]);
  }
  return start;
}

async function readNext(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const next = await pieces.next();
  return next.done === true ? undefined : next.value;
}

import { type StatsFs, statfsSync } from 'node:fs';

const RESERVE_BYTES = 2 * 1_073_741_824;
/** Reserve for a disk on which `RESERVE_BYTES` is a large share, in percent of the disk. */
const RESERVE_PERCENT = 5;
/** Bytes after which the free room of the disk is checked again, since others write to it meanwhile. */
const RECHECK_BYTES = 8 * 1_048_576;

/** Function that returns the sizes of the disk of a folder. */
export type ReadDiskStats = (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>;

export const readDiskStats: ReadDiskStats = (folder) => statfsSync(folder);

/** There is no room for a file. */
export class DiskFull extends Error {}

/**
 * The ledger lies on the same disk: 2 GB of it stay free, or 5 % where that is less.
 * @param bytes that are to be written
 * @throws DiskFull
 */
export function requireDiskSpace(folder: string, bytes: number, disk: ReadDiskStats): void {
  const { bavail, blocks, bsize } = disk(folder);
  const reserve = Math.min(RESERVE_BYTES, (blocks * bsize * RESERVE_PERCENT) / 100);
  if (bavail * bsize - bytes < reserve) throw new DiskFull('The disk of the data folder has too little free space');
}

/** The same before each piece of what is written piece by piece. */
export function createDiskSpaceGuard(folder: string, disk: ReadDiskStats): (bytes: number) => void {
  let room = 0;
  return (bytes) => {
    if (room < bytes) {
      room = Math.max(RECHECK_BYTES, bytes);
      requireDiskSpace(folder, room, disk);
    }
    room -= bytes;
  };
}

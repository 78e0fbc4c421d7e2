import { type StatsFs, statfsSync } from 'node:fs';

const MEBIBYTE = 1_048_576;
const RESERVE_BYTES = 2 * 1_073_741_824;
/** Reserve in percent of a disk on which `RESERVE_BYTES` would be a large share. */
const RESERVE_PERCENT = 5;
/** Bytes after which the free space is checked again, since other processes write to the disk too. */
const RECHECK_BYTES = 8 * MEBIBYTE;

/** Function that returns the sizes of the disk of a folder. */
export type ReadDiskStats = (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>;

export const readDiskStats: ReadDiskStats = (folder) => statfsSync(folder);

/** The disk has too little free space for a file. */
export class DiskFullError extends Error {}

/**
 * Keeps 2 GB of the disk free for the ledger, or 5 % if that is less.
 * @param bytes bytes to be written
 * @throws DiskFullError
 */
export function requireDiskSpace(folder: string, bytes: number, disk: ReadDiskStats): void {
  const { bavail, blocks, bsize } = disk(folder);
  const reserve = Math.min(RESERVE_BYTES, (blocks * bsize * RESERVE_PERCENT) / 100);
  const free = bavail * bsize;
  if (free - bytes >= reserve) return;
  const needed = Math.ceil((bytes + reserve) / MEBIBYTE);
  throw new DiskFullError(
    `The disk of ${folder} has ${Math.floor(free / MEBIBYTE)} MiB free, and ${needed} MiB are needed, of which ${Math.ceil(reserve / MEBIBYTE)} MiB stay free for the ledger. Free some space.`,
  );
}

/** Checks free disk space before each chunk of an incremental write. */
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

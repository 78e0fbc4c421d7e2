import { type StatsFs, statfsSync } from 'node:fs';
import { WorkRefused } from './work-store.ts';

const RESERVE_BYTES = 2 * 1_073_741_824;
/** Of a disk on which that is much. */
const RESERVE_PERCENT = 5;

/** What is told of the disk of a folder. */
export type DiskOf = (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>;

export const diskOf: DiskOf = (folder) => statfsSync(folder);

/**
 * The ledger lies on the same disk: 2 GB of it stay free, or 5 % where that is less.
 * @param bytes that are to be written
 * @throws WorkRefused
 */
export function requireRoom(folder: string, bytes: number, disk: DiskOf): void {
  const { bavail, blocks, bsize } = disk(folder);
  const reserve = Math.min(RESERVE_BYTES, (blocks * bsize * RESERVE_PERCENT) / 100);
  if (bavail * bsize - bytes < reserve)
    throw new WorkRefused('The disk of the data folder has no room for it');
}

/** Stores artifacts as files in the data folder, under server-generated names. */
import { createReadStream, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskSpaceGuard, readDiskStats, requireDiskSpace } from '../platform/disk-space.ts';
import type { ArtifactStore } from './artifact-store.ts';

const FOLDER = 'works';
/** Suffix of incomplete files. */
const UNFINISHED = '.part';

export function createFolderStore(dataDir: string, disk = readDiskStats): ArtifactStore {
  const folder = join(dataDir, FOLDER);
  return {
    async write(id, pieces, _mediaType, signal) {
      const file = join(folder, id);
      const unfinished = file + UNFINISHED;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const handle = await open(unfinished, 'w', 0o600);
        try {
          const requireRoomFor = createDiskSpaceGuard(folder, disk);
          for await (const piece of pieces) {
            signal.throwIfAborted();
            requireRoomFor(piece.length);
            await handle.writeFile(piece);
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    async read(id, { from, to }, signal) {
      const file = join(folder, id);
      await stat(file);
      return createReadStream(file, { start: from, end: to, signal });
    },
    remove: (id) => rm(join(folder, id), { force: true }),
  };
}

/** @throws if there is no folder, or no room in it, for an artifact of this size */
export function requireFolderSpace(dataDir: string, bytes: number, disk = readDiskStats): void {
  const folder = join(dataDir, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireDiskSpace(folder, bytes, disk);
}

/** Removes the incomplete files of a process that died. Call it only while no artifact is being written. */
export async function removeUnfinishedFiles(dataDir: string): Promise<void> {
  const folder = join(dataDir, FOLDER);
  const names = await readdir(folder).catch(() => []);
  const unfinished = names.filter((name) => name.endsWith(UNFINISHED));
  await Promise.all(unfinished.map((name) => rm(join(folder, name), { force: true })));
}

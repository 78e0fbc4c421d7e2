import { type FileHandle, open } from 'node:fs/promises';

/** Runs work with an open file and closes it in any case. A new file is readable by its owner only. */
export async function withOpenFile<T>(
  file: string,
  flags: 'r' | 'r+' | 'wx',
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(file, flags, 0o600);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

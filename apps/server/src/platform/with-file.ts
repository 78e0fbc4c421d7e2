import { type FileHandle, open } from 'node:fs/promises';

/** Closes it whatever becomes of the work. A file that is made is for its owner alone. */
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

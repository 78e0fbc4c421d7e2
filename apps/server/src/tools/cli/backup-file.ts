import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** @throws when the operator named a file that is none */
export function requireBackupFile(name: string): string {
  const file = resolve(name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Error(`There is no file ${file}`);
  return file;
}

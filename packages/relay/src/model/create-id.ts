import { randomUUID } from 'node:crypto';

/** Returns an id that is never given twice, for what an upstream gave none. */
export function createId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}

/** The ids that vendors give to tasks, in the forms in which they write them. */

import { randomUUID } from 'node:crypto';
import { isObject } from '../json/json.ts';

/** One segment of a path, without an escape: an id becomes a part of the address at which its vendor is asked. */
const plainId = /^(?!\.{1,2}$)[\w.:=+~@-]{1,200}$/;

/**
 * Returns a task's id: a text, an integer, an object that has one, or a list of one of these.
 * @returns undefined for what could lead to another address
 */
export function parseTaskId(value: unknown, pattern: RegExp = plainId): string | undefined {
  if (Array.isArray(value)) return value.length === 1 ? parseTaskId(value[0], pattern) : undefined;
  if (isObject(value)) {
    const ids = [value['task_id'], value['taskId'], value['id']].map((id) => parseTaskId(id, pattern));
    return ids.find((id) => id !== undefined);
  }
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  const id = isInteger ? String(value) : typeof value === 'string' ? value.trim() : '';
  return pattern.test(id) ? id : undefined;
}

/** Returns an id that is never given twice, for what an upstream gave none. */
export function createId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}

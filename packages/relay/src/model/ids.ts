/** Ids of tasks at vendors, in their various forms, and generated ids. */

import { randomUUID } from 'node:crypto';
import { isObject } from '../json/json.ts';

/** Pattern of one path segment without escapes, because an id becomes part of its vendor's URL. */
const plainId = /^(?!\.{1,2}$)[\w.:=+~@-]{1,200}$/;

/**
 * Returns a task's id: a text, an integer, an object that contains one, or a list of one of these.
 * @returns undefined for an id that could change the path
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

/** Returns a unique id. */
export function createId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}

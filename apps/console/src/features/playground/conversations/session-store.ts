import type { z } from 'zod';

/** Returns the value kept for this tab, or undefined when there is none or it no longer has the expected shape. */
export function readSession<Schema extends z.ZodType>(
  key: string,
  schema: Schema,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** Keeps something until the tab is closed; what does not fit lasts until the page is left. */
export function writeSession(key: string, value: unknown): void {
  try {
    // First, so that no old copy stays when pictures have filled the storage.
    sessionStorage.removeItem(key);
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full or blocked.
  }
}

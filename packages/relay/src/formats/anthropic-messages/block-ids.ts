import type { CallIdRule } from '../../answered-calls.ts';

const VENDOR_PREFIX = 'srvtoolu_';

export const callIds = { forbidden: /[^a-zA-Z0-9_-]/g } satisfies CallIdRule;

/** The same id always becomes the same, which keeps caches warm. */
export function toolId(id: string): string {
  return id.replaceAll(callIds.forbidden, '_');
}

/** Calls of the vendor's own tools have ids of their own kind. */
export function vendorId(id: string): string {
  return id.startsWith(VENDOR_PREFIX) ? toolId(id) : `${VENDOR_PREFIX}${toolId(id)}`;
}

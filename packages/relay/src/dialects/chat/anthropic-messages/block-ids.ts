import type { CallIdRule } from '../../../translate/pair-calls.ts';

const VENDOR_PREFIX = 'srvtoolu_';

export const callIdRule = { forbidden: /[^a-zA-Z0-9_-]/g } satisfies CallIdRule;

/** Calls of the vendor's own tools have ids of their own kind; the same id always becomes the same. */
export function toVendorCallId(id: string): string {
  const clean = id.replaceAll(callIdRule.forbidden, '_');
  return clean.startsWith(VENDOR_PREFIX) ? clean : `${VENDOR_PREFIX}${clean}`;
}

import { toolId } from '../tool-id.ts';

const VENDOR_PREFIX = 'srvtoolu_';

/** Calls of the vendor's own tools have ids of their own kind. */
export function vendorId(id: string): string {
  return id.startsWith(VENDOR_PREFIX) ? toolId(id) : `${VENDOR_PREFIX}${toolId(id)}`;
}

const VENDOR_PREFIX = 'srvtoolu_';

/** Only letters, digits, `_` and `-` are allowed; the same id always becomes the same, which keeps caches warm. */
export function toolId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

/** Calls of the vendor's own tools have ids of their own kind. */
export function vendorId(id: string): string {
  return id.startsWith(VENDOR_PREFIX) ? toolId(id) : `${VENDOR_PREFIX}${toolId(id)}`;
}

/** Only letters, digits, `_` and `-` are allowed; the same id always becomes the same, which keeps caches warm. */
export function toolId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

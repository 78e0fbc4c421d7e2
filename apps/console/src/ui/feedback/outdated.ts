/** Messages of browsers and of the build's loader when a file of the console cannot be loaded. */
const missingFile = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Returns whether a part of the console could not be loaded, usually because the server has a newer console by now. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && missingFile.test(error.message);
}

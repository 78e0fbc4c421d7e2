/** What browsers and the build's loader say when a file of the console cannot be had. */
const missingFile = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whether a part of the console itself could not be loaded: usually because the server has a newer console by now. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && missingFile.test(error.message);
}

/** Values of settings as the audit log keeps them: long ones in part, so that pages of Markdown do not fill it. */
const LENGTH_MAX = 10_000;
/** Maximum length of values in entries that an earlier version wrote. */
const OLD_LENGTH_MAX = 500;

export function truncateValue(text: string): string {
  return text.slice(0, LENGTH_MAX);
}

/**
 * Returns whether a stored value is complete. One that is exactly as long as the limit may have been cut, so that it
 * counts as incomplete.
 */
export function isComplete(shown: string): boolean {
  return shown.length < LENGTH_MAX && shown.length !== OLD_LENGTH_MAX;
}

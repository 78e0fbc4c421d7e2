/** Values of settings as the audit log keeps them: long ones in part, so that pages of Markdown do not fill it. */
const LENGTH_MAX = 10_000;
/** Of entries that an earlier version wrote. */
const OLD_LENGTH_MAX = 500;

export function shownValue(text: string): string {
  return text.slice(0, LENGTH_MAX);
}

/** Whether a kept value is all of it; of one that is exactly as long as what is kept, nobody knows. */
export function isWhole(shown: string): boolean {
  return shown.length < LENGTH_MAX && shown.length !== OLD_LENGTH_MAX;
}

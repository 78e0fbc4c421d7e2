/** Returns whether this browser runs on a phone, where payment apps are installed. */
export function isPhone(): boolean {
  return /Android|iPhone|iPod|Mobile/i.test(navigator.userAgent);
}

/** Whether this browser runs on a phone, where payment apps are. */
export function onPhone(): boolean {
  return /Android|iPhone|iPod|Mobile/i.test(navigator.userAgent);
}

/**
 * A proxy that keeps its exit address for each session names the session in its user: `user-session-{session}:password`.
 * Anywhere else in the address the placeholder means nothing, so that nobody's session decides which host is asked.
 */
const PLACEHOLDER = '{session}';
const userInfo = /^[a-z0-9]+:\/\/[^/?#]*@/i;

export function hasSessionPlaceholder(proxy: string): boolean {
  return userInfo.exec(proxy)?.[0].includes(PLACEHOLDER) === true;
}

/** @param session letters and digits */
export function fillSession(proxy: string, session: string): string {
  return proxy.replace(userInfo, (start) => start.replaceAll(PLACEHOLDER, session));
}

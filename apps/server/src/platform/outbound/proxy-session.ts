/**
 * Proxy sessions: a proxy that keeps its exit address per session has the session in its user name:
 * `user-session-{session}:password`. The placeholder counts nowhere else in the address, so that no session
 * determines the proxy's host.
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

/**
 * Cookies: the session; the device, which identifies a browser before sign-in; and the impersonation, which only
 * counts beside root's session.
 */
import { randomBytes } from 'node:crypto';

type CookieName = 'session' | 'device' | 'impersonation';

/** `__Host-` requires an encrypted connection; plain installations use other names. */
const names = {
  session: { secure: '__Host-switchyard', plain: 'switchyard_session' },
  device: { secure: '__Host-switchyard-device', plain: 'switchyard_device' },
  impersonation: { secure: '__Host-switchyard-as', plain: 'switchyard_as' },
} as const;

/** Browsers keep a cookie for 400 days at most. */
const DEVICE_SECONDS = 400 * 24 * 3600;

const getCookieName = (cookie: CookieName, secure: boolean): string => names[cookie][secure ? 'secure' : 'plain'];

export function readCookie(header: string | undefined, cookie: CookieName, secure: boolean): string | undefined {
  const wanted = getCookieName(cookie, secure);
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2);
    if (name === wanted && value !== '') return value;
  }
  return undefined;
}

/** Formats a `Set-Cookie` value that scripts and other sites cannot use. */
export function formatCookie(
  cookie: CookieName,
  value: string,
  { secure, seconds }: { secure: boolean; seconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
  return `${getCookieName(cookie, secure)}=${value}; ${flags}`;
}

export interface Device {
  /** Value of the cookie. */
  value: string;
  /** Cookie to send, if the browser had none. */
  setCookie: string | undefined;
}

/** Returns the browser's device cookie, or a new one. */
export function readOrCreateDevice(header: string | undefined, secure: boolean): Device {
  const known = readCookie(header, 'device', secure);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return { value: known, setCookie: undefined };
  const value = randomBytes(32).toString('base64url');
  return { value, setCookie: formatCookie('device', value, { secure, seconds: DEVICE_SECONDS }) };
}

import type { Target } from './provider.ts';

/** Shapes of keys that vendors put into their messages, whole or partly masked. */
const keyLike = /\b(?:sk|pk|rk|xai|gsk)[-_][\w*.…-]{6,}|\bBearer [\w*.…-]{6,}|\bAIza[\w-]{20,}/g;
const MESSAGE_MAX = 1_000;
/** Shorter values are options that landed in a credential field; replacing them would garble the text. */
const SECRET_MIN = 6;

/** Texts that an upstream is told and nobody else. */
export type Secrets = readonly string[];

/**
 * A channel's credentials, the values of its own headers, which often are credentials too, and where it is: behind a
 * path that is no secret to its operator may stand one that is to everybody else.
 */
export function secretsOf({
  credentials,
  headers,
  baseUrl,
}: Pick<Target, 'credentials' | 'headers' | 'baseUrl'>): Secrets {
  return [...Object.values(credentials), ...Object.values(headers), ...placeOf(baseUrl)];
}

/** Of an address that an operator chose: a vendor's own has no path that anybody could not know. */
function placeOf(baseUrl: string): string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { host, pathname } = new URL(baseUrl);
  return [host, ...pathname.split('/')];
}

/** A vendor's words without the channel's secrets, however they are written, or anything that looks like a key. */
export function redact(message: string, secrets: Secrets): string {
  let clean = message;
  for (const form of secrets.filter((secret) => secret.length >= SECRET_MIN).flatMap(formsOf))
    clean = clean.replaceAll(form, '[key]');
  return clean.replaceAll(keyLike, '[key]').slice(0, MESSAGE_MAX);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), base64, bytes.toString('base64url'), bytes.toString('hex')];
}

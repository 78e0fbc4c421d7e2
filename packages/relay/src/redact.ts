import { isObject, objectOf, parseJson, textOf } from './json.ts';
import type { Target } from './provider.ts';

/** Shapes of keys that vendors put into their messages, whole or partly masked. */
const keyLike = /\b(?:sk|pk|rk|xai|gsk)[-_][\w*.…-]{6,}|\bBearer [\w*.…-]{6,}|\bAIza[\w-]{20,}/g;
const MESSAGE_MAX = 1_000;
/** Shorter values are options that landed in a credential field; replacing them would garble the text. */
const SECRET_MIN = 6;
/** So much of a key gives it away: vendors quote keys in part. */
const PART_MIN = 8;
/** Parts of shorter values, such as options that stand among the credentials, are words. */
const WHOLE_MIN = 16;
/** Words may stand in a key, too. */
const plainWords = /^[a-z]{0,16}[-_ ./:]?[a-z]{0,16}$/;
/** `abcd****wxyz`, as vendors mask what they quote. */
const masked = /[\w.-]{0,64}(?:\*{3,}|•{3,}|(?<=\w)(?:…|\.\.\.)(?=\w))[\w.-]{0,64}/g;
/** Of a vendor's words; what follows is not shown. */
const SEARCHED_MAX = 4 * MESSAGE_MAX;

/** Texts that an upstream is told and nobody else. */
export interface Secrets {
  /** Parts of them are secret as well. */
  keys: readonly string[];
  places: readonly string[];
}

/**
 * A channel's credentials, the values of its own headers, which often are credentials too, and where it is: behind a
 * path that is no secret to its operator may stand one that is to everybody else.
 */
export function secretsOf({
  credentials,
  headers,
  baseUrl,
}: Pick<Target, 'credentials' | 'headers' | 'baseUrl'>): Secrets {
  return { keys: [...Object.values(credentials), ...Object.values(headers)], places: placeOf(baseUrl) };
}

/** Of an address that an operator chose: a vendor's own has no path that anybody could not know. */
function placeOf(baseUrl: string): string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { host, pathname } = new URL(baseUrl);
  return [host, ...pathname.split('/')];
}

/** A vendor's words without the channel's secrets, however they are written, or anything that looks like a key. */
export function redact(message: string, { keys, places }: Secrets): string {
  let clean = message;
  for (const form of [...keys, ...places].filter((secret) => secret.length >= SECRET_MIN).flatMap(formsOf))
    clean = clean.replaceAll(form, '[key]');
  clean = clean.replaceAll(keyLike, '[key]').slice(0, SEARCHED_MAX).replaceAll(masked, '[key]');
  return withoutParts(clean, keys).slice(0, MESSAGE_MAX);
}

/** Takes out whatever stretch of the text stands in a key as well. */
function withoutParts(text: string, keys: readonly string[]): string {
  const parts = new Set<string>();
  for (const key of keys.flatMap(secretPartsOf).filter(({ length }) => length >= WHOLE_MIN))
    for (let at = 0; at + PART_MIN <= key.length; at += 1) parts.add(key.slice(at, at + PART_MIN));
  if (parts.size === 0) return text;
  let clean = '';
  let at = 0;
  while (at < text.length) {
    let end = at;
    while (parts.has(text.slice(end, end + PART_MIN))) end += 1;
    const stretch = text.slice(at, end === at ? at + 1 : end + PART_MIN - 1);
    clean += end === at || plainWords.test(stretch) ? stretch : '[key]';
    at += stretch.length;
  }
  return clean;
}

/** What is secret in the JSON of an account at Google, and at whoever vouches for it there. */
const SECRET_FIELDS = ['private_key', 'client_secret', 'refresh_token'];

/** An account is a whole document, most of which anybody may know. */
function secretPartsOf(key: string): string[] {
  const account = parseJson(key);
  if (!isObject(account)) return [key];
  const source = objectOf(account['credential_source']);
  const values = [
    ...SECRET_FIELDS.map((name) => account[name]),
    source['subject_token'],
    ...Object.values(objectOf(source['headers'])),
  ];
  return values.flatMap((value) => textOf(value) ?? []);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const inQuery = new URLSearchParams({ '': secret }).toString().slice(1);
  return [
    secret,
    encodeURIComponent(secret),
    inQuery,
    base64,
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

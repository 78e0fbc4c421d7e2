import { isObject, objectOf, parseJson, shortCopy, textOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { replaceSecrets } from './replace-secrets.ts';

/** Patterns of keys in vendors' messages, whole or partly masked, including keys of other accounts and services. */
const keyLikes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|xai|gsk|hf|nvapi|glpat|whsec)[-_][\w*.…-]{6,}|\bBearer [\w*.…-]{6,}|\bAIza[\w-]{20,}/g,
  /\b(?:ya29\.|A[KS]IA|gh[oprsu]_|github_pat_|xox[abprs]-|eyJ[\w-]{1,512}\.)[\w.-]{8,}/g,
];
/** Credential after its name, in a URL, a header or embedded JSON; a word without a digit is no credential. */
const namedSecret =
  /((?:password|passwd|secret|api[-_]?key|token|authorization|credential)["'\\]{0,2}\s?[:=]\s?["'\\]{0,2}(?:Basic\s)?)(?=[^\s"'\\,;&]{0,64}\d)[^\s"'\\,;&]{8,}/gi;
/** User and password of a URL. */
const userOfAddress = /(\b[a-z][a-z\d+.-]{0,19}:\/\/)[^\s/@"']{1,256}(?=@)/gi;
const MESSAGE_MAX = 1_000;
/**
 * Minimum characters of a secret. Shorter values are options in a credential field; replacing them would garble the
 * text.
 */
const SECRET_MIN = 6;
/** Minimum characters of a redacted text: a mask such as `***`. */
const HIDDEN_MIN = 3;
/** Minimum characters of a key's part that is redacted, because vendors quote keys in part. */
const PART_MIN = 8;
/**
 * Minimum characters of a value whose parts are redacted. Parts of shorter values, such as options, are ordinary
 * words.
 */
const WHOLE_MIN = 16;
/** Maximum characters of a secret whose parts are searched in other spellings; longer ones are private keys. */
const SPELLED_MAX = 256;
/** A whole word of a key may remain if the rest of the key is at least this many times longer. */
const REST_MIN = 2;
const wholeWords = /(?<![A-Za-z\d])[a-z]{1,16}(?![A-Za-z\d])/g;
/** Masked quotation, such as `abcd****wxyz`. */
const masked = /[\w.-]{0,64}(?:\*{3,}|•{3,}|(?<=\w)(?:…|\.\.\.)(?=\w))[\w.-]{0,64}/g;
/** Secret members of a Google account's JSON: a service account, or an authorized user. */
const accountSecrets = ['private_key', 'client_secret', 'refresh_token'];
/** Maximum characters of a vendor's text that are searched for parts of a key; the rest is not shown. */
const SEARCHED_MAX = 4 * MESSAGE_MAX;
/** Maximum characters of the input that are read, without the longest secret. */
const READ_MAX = 2 * SEARCHED_MAX;

/** Texts that only the upstream may see. */
export interface Secrets {
  /** Secrets whose parts are secret as well. */
  keys: readonly string[];
  locations: readonly string[];
}

/** Function that removes the channel's secrets, in any spelling, and all texts that look like keys. */
export type Redactor = (message: string) => string;

/** Cache, because preparing a target's secrets takes longer than searching a short text for them. */
const redactors = new WeakMap<object, Redactor>();

/**
 * Creates a redactor of a channel's credentials, of the values of its own headers, which are often credentials, and
 * of its address: its operator may know a path that others must not.
 */
export function createTargetRedactor(target: Pick<Target, 'credentials' | 'headers' | 'baseUrl'>): Redactor {
  const known = redactors.get(target);
  if (known !== undefined) return known;
  const { credentials, headers, baseUrl } = target;
  const keys = [...Object.values(credentials), ...Object.values(headers)];
  const redactor = createRedactor({ keys, locations: locationsOf(baseUrl) });
  redactors.set(target, redactor);
  return redactor;
}

/** Returns host and path segments of an operator's address to redact; a vendor's own path is public. */
function locationsOf(baseUrl: string): string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { host, pathname } = new URL(baseUrl);
  return [host, ...pathname.split('/')];
}

/** Redacts the secrets in one message; use `createRedactor` for several. */
export function redact(message: string, secrets: Secrets): string {
  return createRedactor(secrets)(message);
}

/** Creates a redactor of these secrets. */
export function createRedactor({ keys, locations }: Secrets): Redactor {
  const parts = keys.flatMap(listSecretParts);
  const whole = [...keys, ...parts, ...locations].filter((secret) => secret.length >= SECRET_MIN);
  const forms = new Set(whole.flatMap((secret) => [...listSpellings(secret)]));
  const hideParts = createPartRedactor(parts);
  return (message) => {
    if (message.length < HIDDEN_MIN) return message;
    let clean = replaceSecrets(message, forms, '[key]', READ_MAX);
    for (const keyLike of keyLikes) clean = clean.replaceAll(keyLike, '[key]');
    clean = clean.replaceAll(namedSecret, '$1[key]').replaceAll(userOfAddress, '$1[key]');
    clean = clean.slice(0, SEARCHED_MAX).replaceAll(masked, '[key]');
    return shortCopy(hideParts(clean), MESSAGE_MAX);
  };
}

/** Returns a JSON value with all its texts changed, including member names. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapStrings(inner, change)]));
}

/** Creates a redactor of every part of a text that also occurs in a key. */
function createPartRedactor(keys: readonly string[]): Redactor {
  const parts = new Set<string>();
  const words = new Set<string>();
  for (const key of keys.filter(({ length }) => length >= WHOLE_MIN)) {
    for (const form of key.length > SPELLED_MAX ? [key] : listSpellings(key))
      for (let at = 0; at + PART_MIN <= form.length; at += 1) parts.add(form.slice(at, at + PART_MIN));
    for (const word of key.match(wholeWords) ?? []) if (word.length * (1 + REST_MIN) <= key.length) words.add(word);
  }
  return (text) => (parts.size === 0 ? text : redactParts(text, parts, words));
}

function redactParts(text: string, parts: ReadonlySet<string>, words: ReadonlySet<string>): string {
  let clean = '';
  let at = 0;
  while (at < text.length) {
    let end = at;
    while (parts.has(text.slice(end, end + PART_MIN))) end += 1;
    const stretch = text.slice(at, end === at ? at + 1 : end + PART_MIN - 1);
    clean += end === at || words.has(stretch) ? stretch : '[key]';
    at += stretch.length;
  }
  return clean;
}

/** Returns the secret parts of a key. An account's JSON is a document of which most parts are public. */
function listSecretParts(key: string): string[] {
  const account = key.trimStart().startsWith('{') ? parseJson(key) : undefined;
  if (!isObject(account)) return [key];
  const source = objectOf(account['credential_source']);
  const values = [
    ...accountSecrets.map((name) => account[name]),
    source['subject_token'],
    ...Object.values(objectOf(source['headers'])),
  ];
  return values.flatMap((value) => textOf(value) ?? []);
}

/** Returns the spellings of a secret: in a URL, in JSON, in hexadecimal digits, or within a text in base64. */
function listSpellings(secret: string): Set<string> {
  const bytes = Buffer.from(secret);
  const inAddress = [encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1)];
  return new Set([
    secret,
    ...inAddress,
    ...inAddress.map((form) => form.replaceAll(/%../g, (code) => code.toLowerCase())),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((before) => [
      encodeWithinBase64(bytes, before, 'base64'),
      encodeWithinBase64(bytes, before, 'base64url'),
    ]),
  ]);
}

/** Returns the base64 digits that are unambiguous, after the given number of preceding bytes. */
function encodeWithinBase64(bytes: Buffer, before: number, alphabet: 'base64' | 'base64url'): string {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

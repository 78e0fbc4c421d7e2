import { isObject, objectOf, parseJson, textOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';

/** Shapes of keys that vendors put into their messages, whole or partly masked; also those of other accounts and services. */
const keyLikes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|xai|gsk|hf|nvapi|glpat|whsec)[-_][\w*.…-]{6,}|\bBearer [\w*.…-]{6,}|\bAIza[\w-]{20,}/g,
  /\b(?:ya29\.|A[KS]IA|gh[oprsu]_|github_pat_|xox[abprs]-|eyJ[\w-]{1,512}\.)[\w.-]{8,}/g,
];
/** A credential behind its name, in an address, a header or JSON within the text; a word without a digit is no credential. */
const namedSecret =
  /((?:password|passwd|secret|api[-_]?key|token|authorization|credential)["'\\]{0,2}\s?[:=]\s?["'\\]{0,2}(?:Basic\s)?)(?=[^\s"'\\,;&]{0,64}\d)[^\s"'\\,;&]{8,}/gi;
/** The user and password of an address. */
const userOfAddress = /(\b[a-z][a-z\d+.-]{0,19}:\/\/)[^\s/@"']{1,256}(?=@)/gi;
const MESSAGE_MAX = 1_000;
/** Shorter values are options that landed in a credential field; replacing them would garble the text. */
const SECRET_MIN = 6;
/** No pattern and no form of a secret is shorter: the shortest is a mask, such as `***`. */
const HIDDEN_MIN = 3;
/** So much of a key gives it away: vendors quote keys in part. */
const PART_MIN = 8;
/** Parts of shorter values, such as options that stand among the credentials, are words. */
const WHOLE_MIN = 16;
/** Parts of longer ones, such as private keys, are not looked for in other spellings. */
const SPELLED_MAX = 256;
/** A whole word of a key may be said by itself, as long as so many times more of the key is not. */
const REST_MIN = 2;
const wholeWords = /(?<![A-Za-z\d])[a-z]{1,16}(?![A-Za-z\d])/g;
/** `abcd****wxyz`, as vendors mask what they quote. */
const masked = /[\w.-]{0,64}(?:\*{3,}|•{3,}|(?<=\w)(?:…|\.\.\.)(?=\w))[\w.-]{0,64}/g;
/** Secret members in the JSON of a Google account: a service account, or a person who authorizes a program. */
const accountSecrets = ['private_key', 'client_secret', 'refresh_token'];
/** Maximum characters of a vendor's text that are searched; the rest is not shown. */
const SEARCHED_MAX = 4 * MESSAGE_MAX;
/** Maximum characters of the input that are read; searching a message of megabytes would exhaust the stack. */
const READ_MAX = 64 * MESSAGE_MAX;

/** Texts that an upstream is told and nobody else. */
export interface Secrets {
  /** Parts of them are secret as well. */
  keys: readonly string[];
  locations: readonly string[];
}

/** Returns a vendor's words without the channel's secrets, however they are written, or anything that looks like a key. */
export type Redactor = (message: string) => string;

/** The forms of a key are found once for a target: finding them takes longer than looking for them in a short text. */
const redactors = new WeakMap<object, Redactor>();

/**
 * Returns what hides a channel's credentials, the values of its own headers, which often are credentials too, and where
 * it is: behind a path that is no secret to its operator may stand one that is to everybody else.
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

/** Hides the secrets in one message; see `createRedactor` for many. */
export function redact(message: string, secrets: Secrets): string {
  return createRedactor(secrets)(message);
}

/** Returns what hides these secrets in any number of messages. */
export function createRedactor({ keys, locations }: Secrets): Redactor {
  const parts = keys.flatMap(listSecretParts);
  const whole = [...keys, ...parts, ...locations].filter((secret) => secret.length >= SECRET_MIN);
  const forms = new Set(whole.flatMap((secret) => [...listSpellings(secret)]));
  const hideParts = createPartRedactor(parts);
  return (message) => {
    if (message.length < HIDDEN_MIN) return message;
    let clean = message.slice(0, READ_MAX);
    for (const form of forms) clean = clean.replaceAll(form, '[key]');
    for (const keyLike of keyLikes) clean = clean.replaceAll(keyLike, '[key]');
    clean = clean.replaceAll(namedSecret, '$1[key]').replaceAll(userOfAddress, '$1[key]');
    clean = clean.slice(0, SEARCHED_MAX).replaceAll(masked, '[key]');
    return hideParts(clean).slice(0, MESSAGE_MAX);
  };
}

/** Returns a value of JSON with all texts in it changed, the names of its members included. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapStrings(inner, change)]));
}

/** Returns what takes out whatever stretch of a text stands in a key as well. */
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

/** An account is a whole document, most of which anybody may know. */
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

/** The digits that stand for nothing else, with so many bytes before it and any behind. */
function encodeWithinBase64(bytes: Buffer, before: number, alphabet: 'base64' | 'base64url'): string {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

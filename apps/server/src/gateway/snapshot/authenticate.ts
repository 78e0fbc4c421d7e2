/** Authentication by key: the first step of every relayed request. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { formatKeyPlaceholder, isKeyText, withKeyPrefix } from '../../accounts/api-keys/api-keys.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { RelayError } from '../http/relay-error.ts';
import { isGeminiPath } from '../http/relay-paths.ts';
import type { KeyState, Snapshot, UserState } from './snapshot.ts';

/** User on whose behalf a request runs and who pays, with the key. */
export interface Principal {
  user: UserState;
  /** Undefined for the console's playground, which runs on the session. */
  key: KeyState | undefined;
  /** An administrator asked for this channel with `KEY#id` or `KEY-id`. */
  pinnedChannelId: number | undefined;
  /** The only key of the pinned channel that may be used; absent, any. */
  pinnedKeyId?: string | undefined;
  /** The batch that the request is a line of. */
  batch?: BatchTerms | undefined;
}

export interface BatchTerms {
  id: string;
  /** Factor on the price, in millionths. */
  ratioMicros: number;
  /** The group in which the vendor of the pinned channel ran it, in a batch of its own, for its own price of batches. */
  answeredIn?: string;
  /** The gateway calls for this line alone, at the price of single calls where the vendor has batches of its own. */
  isSingleCall?: boolean;
}

export function isAdministrator(user: UserState): boolean {
  return user.role === 'admin' || user.role === 'root';
}

/** Part of a request that may carry a key. */
export type KeyBearer = Pick<IncomingMessage, 'headers' | 'url'>;

const FINGERPRINTS_MAX = 20_000;
/** No key of ours or of an installation that was imported is longer, with the channel behind it. Hashing takes the longer the longer a key is. */
const KEY_CHARACTERS_MAX = 512;

/** @throws RelayError when no valid key of an enabled user is presented */
export function createAuthenticate(
  vault: Pick<Vault, 'fingerprint'>,
  snapshot: Pick<Snapshot, 'keyByHash' | 'user'>,
): (request: KeyBearer) => Principal {
  // The keyed hash costs microseconds and is the same for every call with a key.
  const fingerprints = createBoundedMap<string, string>(FINGERPRINTS_MAX);
  const fingerprintOf = (text: string): string => {
    const known = fingerprints.get(text);
    if (known !== undefined) return known;
    const fingerprint = vault.fingerprint(text);
    if (isKeyText(text)) fingerprints.set(text, fingerprint);
    return fingerprint;
  };

  /** Keys of other installations are found by what is known of them: their text, or its SHA-256. */
  const keyOf = (presented: string): KeyState | undefined => {
    const text = withKeyPrefix(presented);
    const known = snapshot.keyByHash(fingerprintOf(text));
    if (known !== undefined || isKeyText(text)) return known;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return snapshot.keyByHash(vault.fingerprint(formatKeyPlaceholder(sha256)));
  };
  /** Our own keys hold no dash behind their front; others may, so that the whole is looked for first. */
  const find = (presented: string): { key?: KeyState; channel?: string } => {
    const whole = keyOf(presented);
    if (whole !== undefined) return { key: whole };
    for (const { text, channel } of listPins(presented)) {
      const key = keyOf(text);
      if (key !== undefined) return { key, channel };
    }
    return {};
  };

  return (request) => {
    const presented = presentedKey(request);
    const { key, channel } = presented.length > KEY_CHARACTERS_MAX ? {} : find(presented);
    const user = key === undefined ? undefined : snapshot.user(key.userId);
    if (key === undefined || user === undefined || !user.enabled)
      throw new RelayError('invalid_api_key', 'The API key is not valid.');
    return { user, key, pinnedChannelId: resolvePin(channel, user) };
  };
}

function presentedKey(request: KeyBearer): string {
  const { headers } = request;
  const presented = [
    parseBearer(headers.authorization),
    parseBearer(readMidjourneySecret(headers)),
    headers['x-api-key'],
    headers['x-goog-api-key'],
    readKeyFromQuery(request.url ?? ''),
  ];
  // Clients send headers that they have nothing for: an empty one must not hide a key in another.
  for (const key of presented) if (typeof key === 'string' && key.trim() !== '') return key.trim();
  throw new RelayError(
    'invalid_api_key',
    'No API key was presented. Send it as "Authorization: Bearer KEY", "x-api-key: KEY" or "x-goog-api-key: KEY".',
  );
}

/**
 * Returns the credentials behind the scheme `Bearer`, whose name has no case (RFC 9110, 11.1), or the whole value
 * where a client leaves the scheme out.
 */
export function parseBearer(authorization: string | undefined): string | undefined {
  return authorization?.trim().replace(/^bearer(?:\s+|$)/i, '');
}

/** Returns the key as clients of a midjourney-proxy send it. */
function readMidjourneySecret(headers: KeyBearer['headers']): string | undefined {
  const secret = headers['mj-api-secret'];
  return typeof secret === 'string' ? secret : undefined;
}

/** Google's clients may send it so. Only there: an address is easily kept by whoever stands between. */
function readKeyFromQuery(address: string): string | undefined {
  const [path = '', query = ''] = address.split('?', 2);
  if (!isGeminiPath(path)) return undefined;
  return new URLSearchParams(query).get('key') ?? undefined;
}

/** A suffix `#…` or `-…` may name a channel. */
function listPins(presented: string): { text: string; channel: string }[] {
  const places = [...new Set([presented.indexOf('#'), presented.indexOf('-', 3), presented.lastIndexOf('-')])];
  return places
    .filter((at) => at > 3)
    .map((at) => ({ text: presented.slice(0, at), channel: presented.slice(at + 1) }));
}

function resolvePin(channel: string | undefined, user: UserState): number | undefined {
  if (channel === undefined) return undefined;
  if (!isAdministrator(user)) throw new RelayError('channel_not_allowed', 'Only administrators may choose a channel.');
  const id = Number(channel);
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new RelayError('channel_not_allowed', `"${channel.slice(0, 20)}" is not a channel id.`);
  return id;
}

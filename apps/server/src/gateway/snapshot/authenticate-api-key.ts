/** Authenticates the key: the first step of every relayed request. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Settings } from '@switchyard/contract/operations/settings';
import { formatKeyPlaceholder, isKeyText, withKeyPrefix } from '../../accounts/api-keys/api-keys.ts';
import { isRoleSuspended } from '../../accounts/staff-second-factor/staff-second-factor.ts';
import type { PriceRule, Ratios } from '../../ledger/ledger.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { secretHint } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { RelayError } from '../http/relay-error.ts';
import { isGeminiPath } from '../http/relay-paths.ts';
import type { KeyState, Snapshot, UserState } from './snapshot.ts';

/** User who pays for a request, with the key. */
export interface Principal {
  user: UserState;
  /** Undefined for the playground, which uses the console's session. */
  key: KeyState | undefined;
  /** Channel that an administrator requested with `KEY#id` or `KEY-id`. */
  pinnedChannelId: number | undefined;
  /** Only permitted key of the pinned channel; absent: any. */
  pinnedKeyId?: string | undefined;
  /** Batch that the request belongs to. */
  batch?: BatchTerms | undefined;
  /** False for an access token without the permission to choose channels. */
  canChooseChannel?: boolean;
  /** Authorizes the session of a running request again. Absent for keys. @throws RelayError */
  authorizeAgain?: () => Promise<unknown>;
}

export interface BatchTerms {
  id: string;
  /** Factor on the price, in millionths. */
  ratioMicros: number;
  /** Group in which the vendor ran the line in a separate batch, at its batch price. */
  answeredIn?: string;
  /** Price at which the vendor got the batch; absent for the current price. */
  price?: { rule: PriceRule; ratios: Ratios };
  /** True if the gateway calls for this line alone, at the single-call price if the vendor runs batches. */
  isSingleCall?: boolean;
  /** True if an earlier request of this line was charged, so that this one is free. */
  isPaid?: boolean;
}

/** Parts that decide whether a role may be used at this moment. */
export interface RoleParts {
  clock: Clock;
  readonly settings: Settings;
}

/**
 * Returns whether the caller may choose and see channels: an administrator who may use the role now, with a key that was
 * created with the permission `channels.write`.
 */
export function isChannelAdministrator(
  { clock, settings }: RoleParts,
  { user, key, canChooseChannel = true }: Pick<Principal, 'user' | 'key' | 'canChooseChannel'>,
): boolean {
  const hasRole = user.role === 'admin' || user.role === 'root';
  return (
    hasRole &&
    canChooseChannel &&
    key?.canChooseChannel !== false &&
    !isRoleSuspended(settings, user, nowSeconds(clock))
  );
}

/**
 * Returns whether the caller chose the channel. A task, a stored response and a batch also bind a request to a channel,
 * and then name its key, or the batch.
 */
export function isPinnedByCaller({ pinnedChannelId, pinnedKeyId, batch }: Principal): boolean {
  return pinnedChannelId !== undefined && pinnedKeyId === undefined && batch === undefined;
}

/** Part of a request that may carry a key. */
export type KeyBearer = Pick<IncomingMessage, 'headers' | 'url'>;

const FINGERPRINTS_MAX = 20_000;
/** Longer than any valid key, imported ones and channel suffixes included; bounds the time for hashing. */
const KEY_CHARACTERS_MAX = 512;

/** @throws RelayError when no valid key of an enabled user is presented */
export function createAuthenticate(
  vault: Pick<Vault, 'fingerprint'>,
  snapshot: Pick<Snapshot, 'keyByHash' | 'user'>,
  mayChooseChannel: (caller: Pick<Principal, 'user' | 'key'>) => boolean,
): (request: KeyBearer) => Principal {
  // Cached because the keyed hash costs microseconds and is the same for every call with a key.
  const fingerprints = createBoundedMap<string, string>(FINGERPRINTS_MAX);
  const fingerprintOf = (text: string): string => {
    const known = fingerprints.get(text);
    if (known !== undefined) return known;
    const fingerprint = vault.fingerprint(text);
    if (isKeyText(text)) fingerprints.set(text, fingerprint);
    return fingerprint;
  };

  /** Imported keys are found by their text, or by its SHA-256 if only that was imported. */
  const keyOf = (presented: string): KeyState | undefined => {
    const text = withKeyPrefix(presented);
    const known = snapshot.keyByHash(fingerprintOf(text));
    if (known !== undefined || isKeyText(text)) return known;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return snapshot.keyByHash(vault.fingerprint(formatKeyPlaceholder(sha256)));
  };
  /**
   * The gateway's own keys contain no dash after their prefix; imported ones may, so the whole text is tried first.
   */
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
    if (key === undefined || user === undefined) throw unknownKeyError(presented);
    if (!user.enabled) throw disabledUserError(presented);
    if (channel === undefined) return { user, key, pinnedChannelId: undefined };
    if (!mayChooseChannel({ user, key })) throw channelChoiceError();
    return { user, key, pinnedChannelId: parseChannelId(channel) };
  };
}

function unknownKeyError(presented: string): RelayError {
  const message = `The ${nameToken(presented)} is unknown. Check its key, or create a new token.`;
  return new RelayError('invalid_api_key', message);
}

/** @param presented key of the user's token; empty if it is unknown */
export function disabledUserError(presented = ''): RelayError {
  const message = `The user of the ${nameToken(presented)} is disabled. Ask an administrator.`;
  return new RelayError('invalid_api_key', message);
}

/** Shows the last characters of a key that is long enough. */
function nameToken(presented: string): string {
  const hint = secretHint(presented);
  return hint === '' ? 'token' : `token …${hint}`;
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
  // An empty header must not hide a key in another one: some clients send headers without values.
  for (const key of presented) if (typeof key === 'string' && key.trim() !== '') return key.trim();
  throw new RelayError(
    'invalid_api_key',
    'No token was presented. Send its key as "Authorization: Bearer KEY", "x-api-key: KEY" or "x-goog-api-key: KEY".',
  );
}

/**
 * Returns the credentials after the scheme `Bearer`, which is case-insensitive (RFC 9110, 11.1), or the whole value
 * if the client omits the scheme.
 */
export function parseBearer(authorization: string | undefined): string | undefined {
  return authorization?.trim().replace(/^bearer(?:\s+|$)/i, '');
}

/** Returns the key in the header that midjourney-proxy clients use. */
function readMidjourneySecret(headers: KeyBearer['headers']): string | undefined {
  const secret = headers['mj-api-secret'];
  return typeof secret === 'string' ? secret : undefined;
}

/**
 * Reads the key from the query, only on Google's paths, whose clients send it so: addresses are easily logged by
 * proxies.
 */
function readKeyFromQuery(address: string): string | undefined {
  const [path = '', query = ''] = address.split('?', 2);
  if (!isGeminiPath(path)) return undefined;
  return new URLSearchParams(query).get('key') ?? undefined;
}

/** Lists the possible splits of a key with a channel suffix, `#…` or `-…`. */
function listPins(presented: string): { text: string; channel: string }[] {
  const places = [...new Set([presented.indexOf('#'), presented.indexOf('-', 3), presented.lastIndexOf('-')])];
  return places
    .filter((at) => at > 3)
    .map((at) => ({ text: presented.slice(0, at), channel: presented.slice(at + 1) }));
}

export function channelChoiceError(): RelayError {
  return new RelayError(
    'channel_not_allowed',
    'The part after the key chooses a channel, which only administrators may: remove it. If you are one, add the second factor that your role requires, or create a token in the console.',
  );
}

/** @throws RelayError */
function parseChannelId(channel: string): number {
  const id = Number(channel);
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new RelayError(
      'channel_not_allowed',
      `The part after the key chooses a channel, and "${channel.slice(0, 20)}" is no channel ID. Use KEY#12.`,
    );
  return id;
}

/**
 * Caches the access tokens that vendors issue for a channel's credentials. The first request that needs one fetches
 * it; it serves all requests until shortly before its expiry, or until the vendor refuses it.
 */
import { createHash } from 'node:crypto';
import { type Target, type TokenExchange, type TokenRequest, UpstreamError } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';
import { isLocalResourceShortage } from '../../platform/outbound/system-resolver.ts';

type AccountTarget = Omit<Target, 'model'>;

export interface VendorTokenCache {
  /**
   * Returns the target with its access token among the credentials; the same target, synchronously, if the vendor
   * needs none.
   * @param proxy empty for none
   * @throws UpstreamError, or the error of a local resource shortage
   */
  signIn(target: AccountTarget, proxy: string): AccountTarget | Promise<AccountTarget>;
  /** Discards a token that the vendor refused. */
  invalidate(target: AccountTarget): void;
}

interface Parts {
  outbound: Pick<Context['outbound'], 'fetchJson'>;
  clock: Pick<Context['clock'], 'now' | 'elapsed'>;
}

interface CachedToken {
  token: Promise<string>;
  /** Stopwatch time in milliseconds. */
  until: number;
}

const TIMEOUT_MS = 10_000;
/** A token is not used in its last minute, because the call takes time. */
const MARGIN_MS = 60_000;
const CACHED_MAX = 10_000;

export function createVendorTokenCache({ outbound, clock }: Parts): VendorTokenCache {
  const held = createBoundedMap<string, CachedToken>(CACHED_MAX);

  /** Keeps the object identical while the token is, because derived data is cached by its credentials. */
  const tokens = new WeakMap<AccountTarget, { token: string; signedIn: AccountTarget }>();

  const fetchOnce = ({ method = 'POST', url, headers, body }: TokenRequest, proxy: string) =>
    outbound
      .fetchJson({ method, url, headers, proxy, timeoutMs: TIMEOUT_MS, ...(body !== undefined && { body }) })
      .catch((cause: unknown) => {
        if (isLocalResourceShortage(cause)) throw cause;
        const why =
          cause instanceof AddressNotAllowedError ? cause.message : 'The provider’s token endpoint did not respond';
        throw new UpstreamError('unreachable', why, { status: 0, cause });
      });

  const requestToken = async (first: TokenRequest, read: TokenExchange['read'], proxy: string, entry: CachedToken) => {
    let request = first;
    let answer = await fetchOnce(request, proxy);
    while (request.next !== undefined) {
      const following = isSuccess(answer.status) ? request.next(answer) : undefined;
      if (following === undefined) throw signInRefusedError(answer.status);
      request = following;
      answer = await fetchOnce(request, proxy);
    }
    const answered = read(answer.json);
    if (answered === undefined) throw signInRefusedError(answer.status);
    entry.until = clock.elapsed() + Math.max(answered.lastsSeconds * 1000 - MARGIN_MS, MARGIN_MS);
    return answered.token;
  };

  /** Returns undefined if the credentials are sent unchanged. */
  const tokenFor = (accessToken: TokenExchange, target: AccountTarget, proxy: string): Promise<string> | undefined => {
    const name = buildCacheKey(target);
    const known = held.get(name);
    if (known !== undefined && known.until > clock.elapsed()) return known.token;
    const request = accessToken.request(target, clock.now());
    if (request === undefined) return undefined;
    const entry: CachedToken = { token: Promise.resolve(''), until: Number.POSITIVE_INFINITY };
    entry.token = requestToken(request, (answer) => accessToken.read(answer), proxy, entry).catch((error: unknown) => {
      if (held.get(name) === entry) held.delete(name);
      throw error;
    });
    held.set(name, entry);
    return entry.token;
  };

  const withToken = async (target: AccountTarget, pendingToken: Promise<string>): Promise<AccountTarget> => {
    const token = await pendingToken;
    const known = tokens.get(target);
    if (known?.token === token) return known.signedIn;
    const signedIn = { ...target, credentials: { ...target.credentials, accessToken: token } };
    tokens.set(target, { token, signedIn });
    return signedIn;
  };

  return {
    signIn(target, proxy) {
      const { accessToken } = target.provider;
      const request = accessToken && tokenFor(accessToken, target, proxy);
      return request === undefined ? target : withToken(target, request);
    },
    invalidate(target) {
      held.delete(buildCacheKey(target));
    },
  };
}

/** Builds the cache key: channels with the same credentials and options share the token. */
function buildCacheKey({ provider, credentials, options }: AccountTarget): string {
  const { accessToken: _token, ...own } = credentials;
  return createHash('sha256')
    .update(JSON.stringify([provider.id, own, options]))
    .digest('base64');
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function signInRefusedError(status: number): UpstreamError {
  const kind = status === 429 ? 'rate-limited' : status >= 500 || status === 0 ? 'overloaded' : 'unauthorised';
  return new UpstreamError(kind, `The provider’s token endpoint returned status ${status} and no token`, { status });
}

const tokenCaches = new WeakMap<Context, VendorTokenCache>();

/** Returns the token cache of this process. */
export function getVendorTokens(ctx: Context): VendorTokenCache {
  const known = tokenCaches.get(ctx) ?? createVendorTokenCache(ctx);
  tokenCaches.set(ctx, known);
  return known;
}

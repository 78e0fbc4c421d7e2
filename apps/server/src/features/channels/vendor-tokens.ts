/**
 * Tokens that vendors give for a channel's credentials, for a while. One is asked for by whoever needs it first, and
 * serves all until shortly before it ends or the vendor refuses it.
 */
import { createHash } from 'node:crypto';
import { type AccessToken, type Target, type TokenRequest, UpstreamError } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/bounded-map.ts';
import { OutboundRefused } from '../../platform/outbound-guard.ts';

type AnyModel = Omit<Target, 'model'>;

export interface VendorTokens {
  /**
   * The target with its token among the credentials; itself, at once, where the vendor wants none.
   * @param proxy empty for none
   * @throws UpstreamError
   */
  signedIn(target: AnyModel, proxy: string): AnyModel | Promise<AnyModel>;
  /** The vendor refused it. */
  forget(target: AnyModel): void;
}

interface Parts {
  outbound: Pick<Context['outbound'], 'fetchJson'>;
  clock: Context['clock'];
}

interface Held {
  signedIn: Promise<AnyModel>;
  /** UTC ms. */
  until: number;
}

const TIMEOUT_MS = 10_000;
/** A token is not used in its last minute: the call that carries it takes time. */
const MARGIN_MS = 60_000;
const HELD_MAX = 10_000;

export function createVendorTokens({ outbound, clock }: Parts): VendorTokens {
  const held = createBoundedMap<string, Held>(HELD_MAX);

  const askFor = async (
    accessToken: AccessToken,
    asked: TokenRequest,
    target: AnyModel,
    proxy: string,
    entry: Held,
  ) => {
    const answer = await outbound
      .fetchJson({ method: 'POST', ...asked, proxy, timeoutMs: TIMEOUT_MS })
      .catch((cause: unknown) => {
        if (cause instanceof OutboundRefused) throw cause;
        throw new UpstreamError('unreachable', 'The vendor’s sign-in did not answer', { status: 0, cause });
      });
    const read = accessToken.read(answer.json);
    if (read === undefined) throw refusedSignIn(answer.status);
    entry.until = clock.now() + Math.max(read.lastsSeconds * 1000 - MARGIN_MS, MARGIN_MS);
    return { ...target, credentials: { ...target.credentials, accessToken: read.token } };
  };

  return {
    signedIn(target, proxy) {
      const { accessToken } = target.provider;
      if (accessToken === undefined) return target;
      const name = nameOf(target);
      const known = held.get(name);
      if (known !== undefined && known.until > clock.now()) return known.signedIn;
      const asked = accessToken.request(target, clock.now());
      if (asked === undefined) return target;
      const entry: Held = { signedIn: Promise.resolve(target), until: Number.POSITIVE_INFINITY };
      entry.signedIn = askFor(accessToken, asked, target, proxy, entry).catch((error: unknown) => {
        held.delete(name);
        throw error;
      });
      held.set(name, entry);
      return entry.signedIn;
    },
    forget(target) {
      held.delete(nameOf(target));
    },
  };
}

/** Channels that share their credentials, and what is said beside them, share the token. */
function nameOf({ provider, credentials, options }: AnyModel): string {
  const { accessToken: _token, ...own } = credentials;
  return createHash('sha256')
    .update(JSON.stringify([provider.id, own, options]))
    .digest('base64');
}

function refusedSignIn(status: number): UpstreamError {
  const kind =
    status === 429 ? 'rate-limited' : status >= 500 || status === 0 ? 'overloaded' : 'unauthorised';
  return new UpstreamError(kind, `The vendor’s sign-in answered ${status} and gave no token`, { status });
}

const tokens = new WeakMap<Context, VendorTokens>();

/** The tokens of this program. */
export function vendorTokens(ctx: Context): VendorTokens {
  const known = tokens.get(ctx) ?? createVendorTokens(ctx);
  tokens.set(ctx, known);
  return known;
}

import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';

export interface RelyingParty {
  /** The host, by which browsers tell passkeys of sites apart. */
  id: string;
  origin: string;
}

/**
 * The site that passkeys are for. Where no address is configured it is the one that the browser used: somebody who lies
 * about it gets passkeys for another site, which no browser of this one uses.
 */
export function relyingParty(ctx: Context, usedOrigin: string): RelyingParty {
  const configured = ctx.settings.serverAddress || ctx.config.publicUrl;
  const address = configured ?? usedOrigin;
  if (!URL.canParse(address))
    throw new AppError('invalid-input', 'The Host header of this request is invalid');
  const { hostname, origin } = new URL(address);
  return { id: hostname, origin };
}

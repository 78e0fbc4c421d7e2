import { randomBytes } from 'node:crypto';
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { Context } from '../../context.ts';
import { newProof } from './attempts.ts';
import { type Provider, ProviderRefused } from './identity-provider.ts';
import { github } from './providers/github.ts';
import { lark } from './providers/lark.ts';
import { createOidc } from './providers/oidc.ts';
import { wechat } from './providers/wechat.ts';

const make: Readonly<Record<IdentityProvider, () => Provider>> = {
  github: () => github,
  // Nothing that was found out before is believed.
  oidc: createOidc,
  lark: () => lark,
  wechat: () => wechat,
};

/**
 * Asks for nobody: a provider that says that it does not know the code has taken everything else.
 * @throws Error with what it does not take
 */
export async function testProvider(ctx: Context, name: IdentityProvider): Promise<void> {
  const code = randomBytes(32).toString('base64url');
  const proof = newProof(ctx, name);
  try {
    await make[name]().identify(ctx, { code, iss: '' }, proof);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
  }
}

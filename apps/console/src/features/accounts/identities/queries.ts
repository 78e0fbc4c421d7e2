import type { IdentityProvider, RedirectingProvider } from '@switchyard/contract/accounts/identities';
import type { Self } from '@switchyard/contract/accounts/profile';
import { queryOptions } from '@tanstack/react-query';
import { loadClient } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { redirectTo } from '../../../ui/browser/open-url.ts';
import { readPreference } from '../../../ui/browser/stored-preference.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const all = ['identities'] as const;
const load = () => loadClient(import('@switchyard/contract/accounts/identities').then(({ identities }) => identities));

export const identitiesQuery = queryOptions({
  queryKey: all,
  queryFn: async ({ signal }) => (await load()).list({}, signal),
});

export const useUnbindIdentity = () =>
  useListChange(all, async (type: IdentityProvider) => {
    const client = await load();
    return withStepUp(() => client.unbind({ body: { type } }));
  });

/**
 * Redirects the browser to a provider, which links an identity for a signed-in user and signs in a visitor.
 */
export async function redirectToProvider(provider: RedirectingProvider): Promise<void> {
  const client = await load();
  redirectTo(await withStepUp(() => client.endpoint({ query: { provider } })));
}

export interface RedirectResult {
  code: string;
  state: string;
  iss: string;
}

/**
 * Submits the parameters of a provider's redirect.
 * @returns null when the identity was linked instead of used to sign in
 */
export async function completeRedirect(provider: RedirectingProvider, returned: RedirectResult): Promise<Self | null> {
  return (await load())[provider]({ query: { ...returned, aff: storedInvitationCode() } });
}

/** Starts a WeChat sign-in; this browser can submit a code within three minutes. */
export async function startWechatSignIn(): Promise<void> {
  const client = await load();
  await withStepUp(() => client.startWechat());
}

export async function signInWithWechat(code: string): Promise<Self | null> {
  return (await load()).wechat({ query: { code, aff: storedInvitationCode() } });
}

export const useBindWechat = () =>
  useListChange(all, async (code: string) => (await load()).bindWechat({ query: { code } }));

function storedInvitationCode(): string {
  const aff = readPreference('aff');
  return typeof aff === 'string' ? aff : '';
}

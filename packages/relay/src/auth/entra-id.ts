/**
 * Microsoft's sign-in for programs, instead of a resource's key:
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */

import type { Provider, ProviderField, Target } from '../model/provider.ts';
import { oauthHeaders, readOauthToken } from './upstream-credentials.ts';

const SCOPE = 'https://cognitiveservices.azure.com/.default';

/**
 * Options for signing in through Entra ID. If both are set, the channel's key is the client secret; otherwise it is
 * the resource's key.
 */
export const entraOptions: readonly ProviderField[] = [
  { name: 'tenant', required: false },
  { name: 'client', required: false },
];

function entraClient({ options }: Pick<Target, 'options'>): { tenant: string; client: string } | undefined {
  const { tenant, client } = options;
  return tenant && client ? { tenant, client } : undefined;
}

export const azureSignIn: Pick<Provider, 'accessToken' | 'authorize'> = {
  accessToken: {
    request(account) {
      const entra = entraClient(account);
      if (entra === undefined) return undefined;
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: entra.client,
        client_secret: account.credentials['key'] ?? '',
        scope: SCOPE,
      });
      return {
        url: `https://login.microsoftonline.com/${encodeURIComponent(entra.tenant)}/oauth2/v2.0/token`,
        headers: oauthHeaders,
        body: body.toString(),
      };
    },
    read: readOauthToken,
  },
  authorize(target) {
    const { key = '', accessToken } = target.credentials;
    if (accessToken !== undefined) return { authorization: `Bearer ${accessToken}` };
    // The client secret must be sent to Microsoft's sign-in only.
    return entraClient(target) === undefined ? { 'api-key': key } : {};
  },
};

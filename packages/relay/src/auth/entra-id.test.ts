import { describe, expect, test } from 'vitest';
import { sampleTarget } from '../testing/sample-requests.ts';
import { azureSignIn } from './entra-id.ts';

const options = { tenant: 'contoso/../x', client: 'c1' };

describe('an Entra ID client', () => {
  test('requests a token from its tenant with its secret, the channel’s key', () => {
    const asked = azureSignIn.accessToken?.request({ credentials: { key: 's3&cret' }, options }, 0);
    expect(asked?.url).toBe('https://login.microsoftonline.com/contoso%2F..%2Fx/oauth2/v2.0/token');
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'c1',
      client_secret: 's3&cret',
      scope: 'https://cognitiveservices.azure.com/.default',
    });
  });

  test('sends the token, and never the secret', () => {
    const target = sampleTarget('azure', { options, credentials: { key: 'secret', accessToken: 'token' } });
    expect(azureSignIn.authorize(target)).toEqual({ authorization: 'Bearer token' });
    expect(azureSignIn.authorize({ ...target, credentials: { key: 'secret' } })).toEqual({});
  });
});

test.each([{}, { tenant: 't' }, { client: 'c' }, { tenant: '', client: '' }])(
  'needs no token with the key of a resource (%j)',
  (options) => {
    expect(azureSignIn.accessToken?.request({ credentials: { key: 'k' }, options }, 0)).toBeUndefined();
    expect(azureSignIn.authorize(sampleTarget('azure', { options }))).toEqual({ 'api-key': 'sample-secret-key' });
  },
);

import { replace } from './replace-browser-api.ts';

const encoded = (text: string) => new TextEncoder().encode(text).buffer;

/** Options that the browser received, newest last. */
export interface FakeAuthenticator {
  created: unknown[];
  asked: unknown[];
  /** True if the user closes the browser's dialog. */
  cancel: boolean;
  /** True if the device already has a passkey of the account. */
  known: boolean;
}

/** Replaces the browser's WebAuthn API. */
export function stubAuthenticator(): FakeAuthenticator {
  const fake: FakeAuthenticator = { created: [], asked: [], cancel: false, known: false };
  replace(globalThis, 'PublicKeyCredential', () => undefined);
  const answer = <T>(response: T) => {
    if (fake.cancel) throw new DOMException('closed', 'NotAllowedError');
    if (fake.known) throw new DOMException('known', 'InvalidStateError');
    const part = { id: 'credential', rawId: encoded('credential'), type: 'public-key' };
    return Promise.resolve({ ...part, response, getClientExtensionResults: () => ({}) });
  };
  const credentials = {
    create: (options: unknown) => {
      fake.created.push(options);
      return answer({ clientDataJSON: encoded('data'), attestationObject: encoded('object') });
    },
    get: (options: unknown) => {
      fake.asked.push(options);
      return answer({
        clientDataJSON: encoded('data'),
        authenticatorData: encoded('data'),
        signature: encoded('signature'),
        userHandle: encoded('7'),
      });
    },
  };
  replace(navigator, 'credentials', credentials);
  return fake;
}

const challenge = 'Y2hhbGxlbmdl';
export const requestOptions = { publicKey: { challenge, rpId: 'localhost', userVerification: 'required' } };
export const creationOptions = {
  publicKey: {
    challenge,
    rp: { name: 'Test', id: 'localhost' },
    user: { id: 'Nw', name: 'ada', displayName: '' },
    pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
  },
};

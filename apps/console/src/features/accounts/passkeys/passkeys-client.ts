import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { createClient } from '@switchyard/contract/client';
import type { Assertion } from '@switchyard/contract/webauthn-assertion';
import { z } from 'zod';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, because it imports the WebAuthn JSON helpers and the schema library. */
export const passkeysClient = createClient(passkeys, send);

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

// Only the challenge is validated here; the browser rejects other invalid options.
const withChallenge = z.object({ challenge: z.string() });
const hasChallenge = (value: unknown) => withChallenge.safeParse(value).success;
const requestOptions = z.custom<RequestOptions>(hasChallenge);
const creationOptions = z.custom<CreationOptions>(hasChallenge);

/** Signs the server's challenge with a passkey. */
export async function authenticateWithPasskey(): Promise<Assertion> {
  const { publicKey } = await passkeysClient.beginSignIn({ body: {} });
  const proof = await startAuthentication({ optionsJSON: requestOptions.parse(publicKey) });
  return { ...proof, response: { ...proof.response } };
}

/** Creates a passkey from the options that `beginRegistration` returned. */
export async function registerPasskey(publicKey: unknown) {
  const made = await startRegistration({ optionsJSON: creationOptions.parse(publicKey) });
  return { ...made, response: { ...made.response } };
}

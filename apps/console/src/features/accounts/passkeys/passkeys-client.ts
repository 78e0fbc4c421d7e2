import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import type { Assertion } from '@switchyard/contract/assertion';
import { createClient } from '@switchyard/contract/client';
import { z } from 'zod';
import { send } from '../../../api.ts';

/** Loaded when a passkey is used or managed: it brings WebAuthn's JSON forms and the schema library with it. */
export const passkeysClient = createClient(passkeys, send);

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

// Only the challenge is ours to look at; the browser refuses the rest where it is wrong.
const withChallenge = z.object({ challenge: z.string() });
const hasChallenge = (value: unknown) => withChallenge.safeParse(value).success;
const requestOptions = z.custom<RequestOptions>(hasChallenge);
const creationOptions = z.custom<CreationOptions>(hasChallenge);

/** Has the browser prove that its user is there. */
export async function authenticateWithPasskey(): Promise<Assertion> {
  const { publicKey } = await passkeysClient.beginSignIn({ body: {} });
  const proof = await startAuthentication({ optionsJSON: requestOptions.parse(publicKey) });
  return { ...proof, response: { ...proof.response } };
}

/** Has the browser make a passkey for the options that `beginRegistration` answered. */
export async function registerPasskey(publicKey: unknown) {
  const made = await startRegistration({ optionsJSON: creationOptions.parse(publicKey) });
  return { ...made, response: { ...made.response } };
}

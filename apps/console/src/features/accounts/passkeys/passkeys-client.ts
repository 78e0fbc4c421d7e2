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

/** Signs the server's challenge with a passkey. Returns undefined when the user cancelled. */
export async function authenticateWithPasskey(): Promise<Assertion | undefined> {
  return unlessCancelled(async () => {
    const { publicKey } = await passkeysClient.beginSignIn({ body: {} });
    const proof = await startAuthentication({ optionsJSON: requestOptions.parse(publicKey) });
    return { ...proof, response: { ...proof.response } };
  });
}

/** Creates a passkey from the options that `beginRegistration` returned. Returns undefined when the user cancelled. */
export async function registerPasskey(publicKey: unknown) {
  return unlessCancelled(async () => {
    const made = await startRegistration({ optionsJSON: creationOptions.parse(publicKey) });
    return { ...made, response: { ...made.response } };
  });
}

/**
 * Maps a cancelled ceremony to undefined. Browsers do not distinguish a closed dialog from a timeout:
 * https://www.w3.org/TR/webauthn-3/#sctn-privacy-considerations-client
 */
async function unlessCancelled<T>(ceremony: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ceremony();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError') return undefined;
    throw error;
  }
}

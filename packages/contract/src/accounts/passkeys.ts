/**
 * WebAuthn. Bodies have the browsers' JSON form: https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON
 */
import { z } from 'zod';
import { passkeyId } from '../ids.ts';
import { emptyData, routes } from '../route.ts';
import { assertion } from '../webauthn-assertion.ts';
import { seconds } from './account-fields.ts';
import { self } from './profile.ts';

const text = z.string().max(4096);

/** Leaves room for certificates in an attestation. */
const REGISTRATION_BYTES_MAX = 128 * 1_024;

/** Result of `navigator.credentials.create`, as JSON. */
export const newCredential = z.looseObject({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: text, attestationObject: z.string().max(65_536) }),
});

/** Options for the browser. */
const options = z.object({ publicKey: z.record(z.string(), z.unknown()) });
const alias = z.string().trim().max(64);

export const passkey = z.object({
  id: passkeyId,
  credential_id: z.string(),
  alias: z.string(),
  created_time: seconds,
  /** UTC seconds; 0: never used. */
  last_used_time: seconds,
});
export type Passkey = z.output<typeof passkey>;

const byId = z.object({ id: passkeyId });

export const passkeys = routes({
  beginRegistration: {
    method: 'POST',
    path: '/api/webauthn/registration/begin',
    access: 'user',
    stepUp: true,
    summary: 'Start the registration of a passkey',
    body: z.object({ alias: alias.default('') }),
    answer: options,
  },
  finishRegistration: {
    method: 'POST',
    path: '/api/webauthn/registration/finish',
    access: 'user',
    bodyMaxBytes: REGISTRATION_BYTES_MAX,
    summary: 'Finish the registration of a passkey',
    body: newCredential,
    answer: emptyData,
  },
  beginSignIn: {
    method: 'POST',
    path: '/api/webauthn/login/begin',
    access: 'anyone',
    summary: 'Start a sign-in or an identity confirmation with a passkey; a username is neither needed nor used',
    body: z.object({ username: z.string().max(128).optional() }),
    answer: options,
  },
  finishSignIn: {
    method: 'POST',
    path: '/api/webauthn/login/finish',
    access: 'anyone',
    summary: 'Sign in with a passkey, which counts as both factors',
    body: assertion,
    answer: self,
  },
  list: {
    method: 'GET',
    path: '/api/webauthn/credentials',
    access: 'user',
    summary: 'List your passkeys',
    answer: z.array(passkey),
  },
  rename: {
    method: 'PUT',
    path: '/api/webauthn/credentials/:id',
    access: 'user',
    summary: 'Rename one of your passkeys',
    params: byId,
    body: z.object({ alias: alias.min(1) }),
    answer: emptyData,
  },
  remove: {
    method: 'DELETE',
    path: '/api/webauthn/credentials/:id',
    access: 'user',
    stepUp: true,
    summary: 'Delete one of your passkeys',
    params: byId,
    answer: emptyData,
  },
});

import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { creationOptions, type FakeAuthenticator, stubAuthenticator } from '../../../testing/fake-webauthn.ts';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { replace } from '../../../testing/replace-browser-api.ts';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { PasskeyList } from './passkey-list.tsx';

const passkey = { id: 4, credential_id: 'c', alias: 'Laptop', created_time: 1_700_000_000, last_used_time: 0 };
let authenticator: FakeAuthenticator;

beforeEach(() => {
  authenticator = stubAuthenticator();
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/webauthn/credentials', () => succeed([passkey]));
  script('post', '/api/webauthn/registration/begin', () => succeed(creationOptions));
});

async function add(name: string) {
  const { user } = show(<PasskeyList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Add passkey' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add passkey' });
  await user.type(within(dialog).getByLabelText('Name'), name);
  await user.click(within(dialog).getByRole('button', { name: 'Continue' }));
  return user;
}

it('adds a named passkey after a confirmation', async () => {
  let confirmed = false;
  const begun = script('post', '/api/webauthn/registration/begin', () =>
    confirmed ? succeed(creationOptions) : refuse('step-up-required', 403),
  );
  const finished = script('post', '/api/webauthn/registration/finish', () => succeed(null));
  scriptConfirmation(() => {
    confirmed = true;
  });
  const user = await add('Phone');
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByText('Passkey added');
  expect(begun[1]?.body).toEqual({ alias: 'Phone' });
  expect(finished[0]?.body).toMatchObject({ id: 'credential', type: 'public-key' });
});

it('treats a closed browser dialog as a cancellation', async () => {
  authenticator.cancel = true;
  const finished = script('post', '/api/webauthn/registration/finish', () => succeed(null));
  await add('Phone');
  await waitFor(() => expect(authenticator.created).toHaveLength(1));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Continue' })).toHaveProperty('disabled', false));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(finished).toEqual([]);
});

it('reports that the device already has a passkey', async () => {
  authenticator.known = true;
  await add('Phone');
  expect(await screen.findByText('This device already has a passkey for your account.')).toBeTruthy();
});

it('renames in place and keeps the name on Escape', async () => {
  const renamed = script('put', '/api/webauthn/credentials/4', () => succeed(null));
  const { user } = show(<PasskeyList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Rename Laptop' }));
  await user.keyboard('Other{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Rename Laptop' }));
  await user.keyboard('Work laptop{Enter}');
  await waitFor(() => expect(renamed).toHaveLength(1));
  expect(renamed[0]?.body).toEqual({ alias: 'Work laptop' });
});

it('removes a passkey after a confirmation', async () => {
  const removed = script('delete', '/api/webauthn/credentials/4', () => succeed(null));
  const { user } = show(<PasskeyList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Remove passkey Laptop' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }));
  await screen.findByText('Passkey removed: Laptop');
  expect(removed).toHaveLength(1);
});

it('offers no new passkey when the browser does not support them', async () => {
  replace(globalThis, 'PublicKeyCredential', undefined);
  show(<PasskeyList />, '/panel/profile');
  expect(await screen.findByText(/not available in this browser/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Add passkey' })).toHaveProperty('disabled', true);
});

import Button from '@mui/material/Button';
import { unwrapEnvelope } from '@switchyard/contract/http-exchange';
import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { send } from '../../api.ts';
import { requestOptions, stubAuthenticator } from '../../testing/fake-webauthn.ts';
import { refuse, script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { wireSelf, wireSite } from '../../testing/wire-samples.ts';
import { withStepUp } from '../../ui/overlays/with-step-up.ts';

const sensitiveCall = async () => unwrapEnvelope(await send({ method: 'GET', path: '/api/sensitive' }));

function Sensitive() {
  const [done, setDone] = useState(false);
  const run = () =>
    withStepUp(sensitiveCall).then(
      () => setDone(true),
      () => setDone(false),
    );
  return <Button onClick={() => void run()}>{done ? 'Done' : 'Do it'}</Button>;
}

let confirmed: boolean;
beforeEach(() => {
  confirmed = false;
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/sensitive', () => (confirmed ? succeed(null) : refuse('step-up-required', 403)));
});

async function ask(ways: { password: boolean; code: boolean; passkey: boolean }) {
  script('get', '/api/user/step_up', () => succeed(ways));
  const proofs = script('post', '/api/user/step_up', () => {
    confirmed = true;
    return succeed(null);
  });
  const { user } = show(<Sensitive />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Do it' }));
  await screen.findByRole('dialog', { name: 'Confirm your identity' });
  return { user, proofs };
}

it('asks for the password when the account has no other method', async () => {
  const { user, proofs } = await ask({ password: true, code: false, passkey: false });
  await user.type(await screen.findByLabelText('Password'), 'correct horse{Enter}');
  expect(await screen.findByRole('button', { name: 'Done' })).toBeTruthy();
  expect(proofs[0]?.body).toEqual({ password: 'correct horse' });
});

it('offers a passkey first and accepts a code instead', async () => {
  stubAuthenticator();
  const { user, proofs } = await ask({ password: false, code: true, passkey: true });
  expect(await screen.findByRole('button', { name: 'Use a passkey' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Use a code instead' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  expect(await screen.findByRole('button', { name: 'Done' })).toBeTruthy();
  expect(proofs[0]?.body).toEqual({ code: '123456' });
});

it('confirms with a passkey', async () => {
  stubAuthenticator();
  script('post', '/api/webauthn/login/begin', () => succeed(requestOptions));
  const { user, proofs } = await ask({ password: false, code: false, passkey: true });
  await user.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByRole('button', { name: 'Done' })).toBeTruthy();
  expect(proofs[0]?.body).toMatchObject({ passkey: { id: 'credential', type: 'public-key' } });
});

it('asks for a new sign-in when the account has no confirmation method', async () => {
  const ended = script('get', '/api/user/logout', () => succeed(null));
  const { user } = await ask({ password: false, code: false, passkey: false });
  await user.click(await screen.findByRole('button', { name: 'Sign in again' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(ended).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Do it' })).toBeTruthy();
});

import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { KeyRotation } from './key-rotation.tsx';

beforeEach(() => void script('get', '/api/status', () => succeed(wireSite)));

const state = { data_keys: 2, newest_created_time: 1_700_000_000, pending: 0 };

it('asks for a confirmation and the password before it rotates the key', async () => {
  let confirmed = false;
  script('get', '/api/secrets/state', () => succeed(state));
  scriptConfirmation(() => {
    confirmed = true;
  });
  const rotations = script('post', '/api/secrets/rotate', () =>
    confirmed ? succeed({ ...state, data_keys: 3 }) : refuse('step-up-required', 403),
  );
  const { user } = show(<KeyRotation />);
  await user.click(await screen.findByRole('button', { name: 'Replace the data key' }));
  const dialog = await screen.findByRole('alertdialog');
  await user.click(within(dialog).getByRole('button', { name: 'Replace the data key' }));
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('All stored secrets are encrypted with the new key.')).toBeTruthy();
  expect(screen.getByText('Data keys').nextElementSibling?.textContent).toBe('3');
  expect(rotations).toHaveLength(2);
});

it('shows how many secrets are still to be re-encrypted', async () => {
  script('get', '/api/secrets/state', () => succeed({ ...state, pending: 1200 }));
  show(<KeyRotation />);
  expect(await screen.findByText('1,200')).toBeTruthy();
});

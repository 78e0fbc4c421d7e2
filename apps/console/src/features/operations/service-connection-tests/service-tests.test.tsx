import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { ServiceTests } from './service-tests.tsx';

it('shows for each service whether it accepts the settings', async () => {
  script('post', '/api/service_test/telegram', () => succeed({ name: '@gate_bot' }));
  script('post', '/api/service_test/github', () => succeed({ name: '' }));
  const message = 'This service is not set up. Set OIDCIssuer in the settings.';
  script('post', '/api/service_test/oidc', () => refuse('not-set-up', 409, { message }));
  const { user } = show(<ServiceTests services={['telegram', 'github', 'oidc']} />);
  await user.click(await screen.findByRole('button', { name: 'Test Telegram' }));
  expect(await screen.findByText(/The test succeeded as .*@gate_bot/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Test GitHub' }));
  expect(await screen.findByText('The service accepts the client ID and the client secret.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Test OpenID Connect' }));
  expect(await screen.findByText(message)).toBeTruthy();
});

it('shows the reason of a failure', async () => {
  script('post', '/api/service_test/turnstile', () => refuse('upstream-failed', 502));
  const { user } = show(<ServiceTests services={['turnstile']} />);
  await user.click(await screen.findByRole('button', { name: 'Test Turnstile' }));
  expect(await screen.findByText(/The test failed: /)).toBeTruthy();
});

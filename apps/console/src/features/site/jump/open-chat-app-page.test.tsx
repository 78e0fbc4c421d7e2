import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { openApp } from '../../../ui/browser/open-url.ts';
import { OpenChatAppPage } from './open-chat-app-page.tsx';

vi.mock(import('../../../ui/browser/open-url.ts'), async (importOriginal) => ({
  ...(await importOriginal()),
  openApp: vi.fn(),
}));

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  vi.mocked(openApp).mockReset();
  location.hash = '';
});

it('opens a chat app, and again on a click for browsers that require one', async () => {
  const { user } = show(<OpenChatAppPage />, '/jump?url=opencat%3A%2F%2Fteam%2Fjoin%3Ftoken%3Dabc');
  expect(await screen.findByText('Opening opencat')).toBeTruthy();
  expect(openApp).toHaveBeenCalledWith('opencat://team/join?token=abc');
  await user.click(screen.getByRole('button', { name: 'Open the app' }));
  expect(openApp).toHaveBeenCalledTimes(2);
});

it('reads the URL from the fragment, which no server receives', async () => {
  location.hash = '#ama://set-api-key?key=k';
  show(<OpenChatAppPage />, '/jump');
  expect(await screen.findByText('Opening ama')).toBeTruthy();
  expect(openApp).toHaveBeenCalledWith('ama://set-api-key?key=k');
  expect(location.hash).toBe('');
});

it.each([
  'https://evil.example/',
  'javascript://%0aalert(1)',
  ' JavaScript:alert(1)',
  'opencat:alert(1)',
  'data:text/html,x',
  '//evil.example',
  '',
])('opens nothing for %j', async (address) => {
  show(<OpenChatAppPage />, `/jump?url=${encodeURIComponent(address)}`);
  expect(await screen.findByText('Unknown app')).toBeTruthy();
  expect(openApp).not.toHaveBeenCalled();
});

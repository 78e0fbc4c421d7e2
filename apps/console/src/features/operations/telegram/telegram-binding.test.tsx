import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { TelegramBinding } from './telegram-binding.tsx';

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
});

it('shows the message for the bot and then the linked account', async () => {
  let bound: unknown = null;
  script('get', '/api/user/telegram', () => succeed({ bot: 'gate_bot', bound }));
  script('post', '/api/user/telegram/code', () =>
    succeed({ code: 'the-code', link: 'https://t.me/gate_bot?start=the-code' }),
  );
  const { user } = show(<TelegramBinding />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Connect Telegram' }));
  const dialog = await screen.findByRole('dialog', { name: 'Connect Telegram' });
  expect(within(dialog).getByText('/bind the-code')).toBeTruthy();
  expect(within(dialog).getByText('/bind confirm')).toBeTruthy();
  bound = { label: '@ada', created_time: 1_700_000_000 };
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect(await screen.findByText('@ada')).toBeTruthy();
});

it('disconnects after a confirmation', async () => {
  script('get', '/api/user/telegram', () =>
    succeed({ bot: 'gate_bot', bound: { label: '@ada', created_time: 1_700_000_000 } }),
  );
  const ended = script('delete', '/api/user/telegram', () => succeed(null));
  const { user } = show(<TelegramBinding />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Disconnect Telegram?' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Disconnect' }));
  await screen.findByText('Telegram disconnected');
  expect(ended).toHaveLength(1);
});

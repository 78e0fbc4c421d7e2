import type { BotState, TelegramCommand } from '@switchyard/contract/operations/telegram';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { TelegramPage } from './telegram-page.tsx';

const page = <TelegramPage />;
const path = '/panel/telegram';
const price = {
  id: 1 as TelegramCommand['id'],
  command: 'price',
  description: 'What it costs',
  parse_mode: 'text' as const,
  reply_message: 'Nothing.',
  enabled: true,
};
const rules = { ...price, id: 2, command: 'rules', description: 'Rules', enabled: false };
const state: BotState = {
  status: true,
  is_webhook: false,
  set_up: true,
  bot: 'gate_bot',
  last_contact: 1_700_000_000,
  pending: 0,
  last_error: '',
  last_error_time: 0,
};
const pageOf = (data: unknown[]) => ({ data, page: 1, size: 100, total_count: data.length });
const rowOf = async (name: string) => within((await screen.findByText(name)).closest('tr') ?? document.body);

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/user/telegram', () => succeed({ bot: 'gate_bot', bound: null }));
  script('get', '/api/option/telegram/status', () => succeed(state));
  script('get', '/api/option/telegram', () => succeed(pageOf([price, rules])));
  script('get', '/api/option/', () =>
    succeed([
      { key: 'TelegramWebhookEnabled', value: 'false' },
      { key: 'ServerAddress', value: 'https://gate.example' },
    ]),
  );
});

it('shows the bot’s state and switches to webhooks', async () => {
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, path);
  expect(await screen.findByText('Online')).toBeTruthy();
  expect(screen.getByText('@gate_bot')).toBeTruthy();
  expect(screen.getByText('Polling')).toBeTruthy();
  await user.click(await screen.findByRole('switch', { name: 'Telegram webhook' }));
  await waitFor(() => expect(saved[0]?.body).toEqual([{ key: 'TelegramWebhookEnabled', value: 'true' }]));
});

it('requires the server URL for webhooks', async () => {
  script('get', '/api/option/', () => succeed([{ key: 'TelegramWebhookEnabled', value: 'false' }]));
  show(page, path);
  expect(await screen.findByText('Set the server URL first')).toBeTruthy();
  expect(screen.getByRole('switch', { name: 'Telegram webhook' }).hasAttribute('disabled')).toBe(true);
});

it('shows the error while the bot is offline', async () => {
  script('get', '/api/option/telegram/status', () =>
    succeed({ ...state, status: false, pending: 7, last_error: 'Telegram refused getMe: Unauthorized' }),
  );
  show(page, path);
  expect(await screen.findByText('Offline')).toBeTruthy();
  expect(screen.getByText(/Telegram refused getMe: Unauthorized/)).toBeTruthy();
  expect(screen.getByText('7')).toBeTruthy();
});

it('links to the settings while there is no bot', async () => {
  script('get', '/api/option/telegram/status', () => succeed({ ...state, status: false, set_up: false }));
  show(page, path);
  const link = await screen.findByRole('link', { name: 'Open settings' });
  expect(link.getAttribute('href')).toBe('/panel/setting#sign-in');
  expect(screen.queryByRole('button', { name: 'Sync commands to Telegram' })).toBeNull();
});

it('adds a command and shows at its field that a name is already taken', async () => {
  let taken = true;
  const saved = script('post', '/api/option/telegram', () =>
    taken
      ? refuse('already-exists', 409, { fields: [{ path: 'command', rule: 'already-exists', message: '' }] })
      : succeed({ ...price, id: 3 }),
  );
  const { user, search } = show(page, `${path}?edit=new`);
  const drawer = within(await screen.findByRole('dialog', { name: 'New command' }));
  await user.type(drawer.getByLabelText('Command'), 'balance');
  await user.type(drawer.getByLabelText('Description'), 'What it costs');
  await user.type(drawer.getByLabelText('Reply'), 'Nothing.');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Invalid value')).toBeTruthy();
  expect(saved).toEqual([]);
  await user.clear(drawer.getByLabelText('Command'));
  await user.type(drawer.getByLabelText('Command'), 'price');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Already taken')).toBeTruthy();
  taken = false;
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  const { id: _, ...fields } = price;
  expect(saved.at(-1)?.body).toEqual({ ...fields, id: 0 });
});

it('opens a command and sends its reply to the user’s own account', async () => {
  script('get', '/api/user/telegram', () =>
    succeed({ bot: 'gate_bot', bound: { label: '@ada', created_time: 1_700_000_000 } }),
  );
  const tested = script('post', '/api/option/telegram/test', () =>
    succeed({ plain_because: "Bad Request: can't parse entities" }),
  );
  const { user } = show(page, path);
  await user.click(await screen.findByText('/price'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit command' }));
  await user.click(drawer.getByLabelText('Format'));
  await user.click(await screen.findByRole('option', { name: 'HTML' }));
  await user.click(drawer.getByRole('button', { name: 'Send me a test' }));
  expect(await drawer.findByText(/because Telegram responded: Bad Request/)).toBeTruthy();
  expect(tested[0]?.body).toEqual({ parse_mode: 'HTML', reply_message: 'Nothing.' });
});

it('sends no test before the user’s own account is linked', async () => {
  show(page, `${path}?edit=1`);
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit command' }));
  expect(await drawer.findByText(/Connect your own Telegram account/)).toBeTruthy();
  expect(drawer.getByRole('button', { name: 'Send me a test' }).hasAttribute('disabled')).toBe(true);
});

it('moves, disables and deletes commands', async () => {
  const moved = script('put', '/api/option/telegram/2/move', () => succeed(null));
  const saved = script('post', '/api/option/telegram', () => succeed({ ...rules, enabled: true }));
  const removed = script('delete', '/api/option/telegram/2', () => succeed(null));
  const { user } = show(page, path);
  const row = await rowOf('/rules');
  const choose = async (entry: string) => {
    await user.click(row.getByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitem', { name: entry }));
  };
  await user.click(row.getByRole('button', { name: 'More' }));
  expect(screen.queryByRole('menuitem', { name: 'Move down' })).toBeNull();
  await user.click(await screen.findByRole('menuitem', { name: 'Move up' }));
  await waitFor(() => expect(moved[0]?.body).toEqual({ to: 'up' }));
  await choose('Enable');
  expect(await screen.findByText('/rules enabled')).toBeTruthy();
  expect(saved[0]?.body).toEqual({ ...rules, enabled: true });
  await choose('Delete');
  const question = within(await screen.findByRole('alertdialog'));
  await user.click(question.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('/rules deleted')).toBeTruthy();
  expect(removed).toHaveLength(1);
});

it('syncs the commands with Telegram and reports a refusal', async () => {
  let answer = () => succeed(null) as Response;
  script('put', '/api/option/telegram/reload', () => answer());
  const { user } = show(page, path);
  const reload = await screen.findByRole('button', { name: 'Sync commands to Telegram' });
  await user.click(reload);
  expect(await screen.findByText('Commands synced to Telegram')).toBeTruthy();
  answer = () => refuse('upstream-failed', 502);
  await user.click(reload);
  expect(await screen.findByText(/upstream-failed/)).toBeTruthy();
});

it('shows a sentence and a button when there are no commands', async () => {
  script('get', '/api/option/telegram', () => succeed(pageOf([])));
  const { user, search } = show(page, path);
  expect(await screen.findByText('No custom commands yet.')).toBeTruthy();
  await user.click(screen.getAllByRole('button', { name: 'New command' }).at(-1) ?? document.body);
  await waitFor(() => expect(search()).toEqual({ edit: 'new' }));
});

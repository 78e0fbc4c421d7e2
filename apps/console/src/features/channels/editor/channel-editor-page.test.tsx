import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { showApp } from '../../../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { wireChannel, wireProviders } from '../channels.samples.ts';

beforeEach(() => {
  // jsdom has no IntersectionObserver.
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  window.scrollTo = () => {};
  script('get', '/api/channel/4/keys', () => succeed([]));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/provider', () => succeed(wireProviders));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/channel/', () => succeed(wirePage([])));
});

it('creates a channel from its key and the provider’s models', async () => {
  const asked = script('post', '/api/channel/provider_models_list', () => succeed(['gpt-5', 'o4-mini']));
  const created = script('post', '/api/channel/', () => succeed([wireChannel(8), wireChannel(9)]));
  const { user, router } = showApp('/panel/channel/new');
  await user.click(await screen.findByRole('combobox', { name: 'Provider' }));
  await user.click(await screen.findByRole('option', { name: 'OpenAI' }));
  await user.type(screen.getByLabelText('Name'), 'eu');
  await user.type(screen.getByLabelText('Key'), 'sk-1{Enter}sk-2');
  expect(screen.getByText('2 keys create 2 channels.')).toBeTruthy();
  await user.type(screen.getByRole('combobox', { name: 'Models' }), 'my-alias{Enter}');
  await user.click(screen.getByRole('button', { name: 'Fetch from the provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'The provider lists 2 models' });
  await user.click(within(dialog).getByRole('checkbox', { name: 'o4-mini' }));
  await user.click(within(dialog).getByRole('button', { name: 'Use 2 models' }));
  expect(asked[0]?.body).toMatchObject({ type: 1, key: 'sk-1\nsk-2', options: {} });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('2 channels created');
  expect(created[0]?.body).toMatchObject({
    name: 'eu',
    type: 1,
    key: 'sk-1\nsk-2',
    models: ['my-alias', 'o4-mini'],
    group: ['default'],
    options: {},
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/panel/channel'));
});

it('sends only the changed values, so that stored secrets and other users’ changes stay', async () => {
  const stored = wireChannel(4, { model_headers: { 'x-team': '••••cret' }, proxy: '••••1080' });
  script('get', '/api/channel/4', () => succeed(stored));
  const updates = script('put', '/api/channel/', () => succeed({ ...stored, name: 'renamed' }));
  const { user } = showApp('/panel/channel/4');
  const name = await screen.findByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'renamed');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ id: 4, name: 'renamed' });
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull());
});

it('shows a server error under its field', async () => {
  script('get', '/api/channel/4', () => succeed(wireChannel(4)));
  script('put', '/api/channel/', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'base_url', rule: 'address-not-allowed', message: 'private' }] }),
  );
  const { user } = showApp('/panel/channel/4');
  const address = await screen.findByLabelText('Base URL');
  await user.type(address, 'http://10.0.0.1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('This server is not allowed to connect to that address')).toBeTruthy();
});

it('asks for the key again when the base URL changes', async () => {
  script('get', '/api/channel/4', () => succeed(wireChannel(4)));
  script('put', '/api/channel/', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'key', rule: 'needed-again', message: 'again' }] }),
  );
  const { user } = showApp('/panel/channel/4');
  await user.type(await screen.findByLabelText('Base URL'), 'https://other.example');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Enter this value again/)).toBeTruthy();
  await waitFor(() => expect(screen.getByLabelText('Key')).toBe(document.activeElement));
});

it('sends the paths of a custom upstream', async () => {
  script('get', '/api/channel/4', () => succeed(wireChannel(4, { type: 8, provider: 'custom' })));
  const updates = script('put', '/api/channel/', () => succeed(wireChannel(4)));
  const { user } = showApp('/panel/channel/4');
  await user.click(await screen.findByRole('button', { name: 'Paths' }));
  await user.type(screen.getByPlaceholderText('/v1/rerank'), '-');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toMatchObject({ options: { rerankPath: '-' } });
});

it('sends the features that the channel does not support', async () => {
  script('get', '/api/channel/4', () => succeed(wireChannel(4, { lacks: ['images', 'tools'] })));
  const updates = script('put', '/api/channel/', () => succeed(wireChannel(4, { lacks: ['tools', 'reasoning'] })));
  const { user } = showApp('/panel/channel/4');
  const lacks = await screen.findByRole('group', { name: 'Unsupported features' });
  expect(within(lacks).getByRole('checkbox', { name: 'Images', checked: true })).toBeTruthy();
  await user.click(within(lacks).getByRole('checkbox', { name: 'Images' }));
  await user.click(within(lacks).getByRole('checkbox', { name: 'Reasoning' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toMatchObject({ lacks: ['tools', 'reasoning'] });
});

it('copies another channel without its secrets', async () => {
  const source = wireChannel(4, { name: 'eu', tag: 'prod', model_headers: { 'x-team': '••••cret' } });
  script('get', '/api/channel/4', () => succeed(source));
  const created = script('post', '/api/channel/', () => succeed([wireChannel(5)]));
  script('get', '/api/channel/5', () => succeed(wireChannel(5)));
  const { user } = showApp('/panel/channel/new?copy=4');
  await user.type(await screen.findByLabelText('Key'), 'sk-new');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('1 channel created');
  expect(created[0]?.body).toMatchObject({ name: 'eu copy', tag: 'prod', key: 'sk-new', model_headers: {} });
});

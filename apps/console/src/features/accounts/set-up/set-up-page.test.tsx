import { channelCaps, deadlines, requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireApiKey, wireSelf, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { SetUpPage } from './set-up-page.tsx';

const openAi = {
  type: 1,
  id: 'openai',
  label: 'OpenAI',
  website: '',
  base_url: 'https://api.openai.com',
  test_model: 'gpt-5-mini',
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [],
  can_list_models: true,
  can_read_balance: false,
};

const wireChannel = {
  id: 4,
  name: 'OpenAI',
  type: 1,
  base_url: '',
  options: {},
  models: ['gpt-5-mini'],
  group: ['default'],
  tag: '',
  model_mapping: {},
  model_headers: {},
  proxy: '',
  test_model: 'gpt-5-mini',
  priority: 0,
  weight: 1,
  only_chat: false,
  lacks: [],
  held_prompt: 'all',
  cost: { ratio: null, models: {} },
  deadlines: deadlines.parse({}),
  request_changes: requestChanges.parse({}),
  provider: 'openai',
  status: 1,
  key_hint: '…abcd',
  key_count: 1,
  keys_out: 0,
  caps: channelCaps.parse({}),
  spent: { day: 0, month: 0 },
  capped_until: 0,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  balance: null,
  balance_updated_time: 0,
  used_quota: 0,
  disabled_reason: '',
  cooldown_until: 0,
};

beforeEach(() => {
  window.location.hash = '#0123456789abcdef0123';
  script('get', '/api/status', () => succeed({ ...wireSite, set_up_needed: true }));
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
});

it('leads from an empty server to a first call with a real key', async () => {
  script('post', '/api/setup/check', () => succeed(null));
  script('post', '/api/setup', () => succeed(wireSelfOf('root')));
  script('get', '/api/provider', () => succeed([openAi]));
  const asked = script('post', '/api/channel/provider_models_list', () => succeed(['gpt-5-mini', 'gpt-5']));
  const channels = script('post', '/api/channel/', () => succeed([wireChannel]));
  script('post', '/api/channel/test/4', () =>
    succeed({ success: true, duration: 640, model: 'gpt-5-mini', problem: null, message: '' }),
  );
  script('post', '/api/token/', () => succeed(wireApiKey(1, { key: 'sk-first-key' })));
  const { user } = show(<SetUpPage />, '/setup');

  await user.type(await screen.findByLabelText('Password'), 'long enough');
  await user.click(screen.getByRole('button', { name: 'Create account' }));

  await user.type(await screen.findByLabelText('API key'), 'sk-vendor');
  await user.click(screen.getByRole('button', { name: 'Fetch from the provider' }));
  await screen.findByText('gpt-5');
  await user.click(screen.getByRole('button', { name: 'Create and test' }));
  await screen.findByText(/responded in 640 ms/);
  expect(asked[0]?.body).toMatchObject({ type: 1, key: 'sk-vendor' });
  expect(channels[0]?.body).toMatchObject({ name: 'OpenAI', key: 'sk-vendor', models: ['gpt-5-mini', 'gpt-5'] });

  await user.click(await screen.findByRole('button', { name: 'Create token' }));
  expect(await screen.findByText('sk-first-key')).toBeTruthy();
  expect(screen.getByText(/Bearer sk-first-key/)).toBeTruthy();
});

it('rejects a short password before sending', async () => {
  script('post', '/api/setup/check', () => succeed(null));
  const created = script('post', '/api/setup', () => succeed(wireSelf));
  const { user } = show(<SetUpPage />, '/setup');
  await user.type(await screen.findByLabelText('Password'), 'short');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('At least 8 characters')).toBeTruthy();
  expect(created).toEqual([]);
});

it('explains what to do when the link is old or has no code', async () => {
  script('post', '/api/setup/check', () => refuse('not-allowed', 403));
  show(<SetUpPage />, '/setup');
  expect(await screen.findByText(/is invalid/)).toBeTruthy();
});

it('offers only the sign-in once the server is set up', async () => {
  script('get', '/api/status', () => succeed(wireSite));
  script('post', '/api/setup/check', () => refuse('set-up-done', 409));
  show(<SetUpPage />, '/setup');
  const notice = await screen.findByRole('alert');
  expect(within(notice).getByText(/already set up/)).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBeNull();
});

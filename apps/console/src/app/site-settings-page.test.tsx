import {
  isSecret,
  type SettingName,
  settingDefinitions,
  settingNames,
  settings,
  settingToText,
} from '@switchyard/contract/operations/settings';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { useSystemName } from '../features/site/site/queries.ts';
import { refuse, script, scriptConfirmation, succeed } from '../testing/mock-api-server.ts';
import { show } from '../testing/render.tsx';
import { wirePage, wireSelf, wireSite } from '../testing/wire-samples.ts';
import { SettingsPage } from './site-settings-page.tsx';

const page = <SettingsPage />;

/** Returns every setting that is not secret, as the server sends it. */
function wireOptions(changed: Partial<Record<SettingName, unknown>> = {}) {
  return settingNames
    .filter((name) => !isSecret(name))
    .map((name) => ({
      key: settingDefinitions[name].option,
      value: settingToText(name, changed[name] ?? settingDefinitions[name].default),
    }));
}

function wireSecrets(hints: Partial<Record<SettingName, string>> = {}) {
  return settingNames
    .filter(isSecret)
    .map((name) => ({ key: settingDefinitions[name].option, hint: hints[name] ?? '' }));
}

const links = [
  { name: 'Second', url: 'https://two.example/{key}', show: true, sort: 1 },
  { name: 'First', url: 'https://one.example/{key}', show: true, sort: 2 },
];

beforeEach(() => {
  script('get', '/api/secrets/state', () => succeed({ data_keys: 1, newest_created_time: 1_700_000_000, pending: 0 }));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/option/', () => succeed(wireOptions()));
  script('get', '/api/option/secrets', () => succeed(wireSecrets()));
  script('get', '/api/log/', () => succeed(wirePage([], 0)));
  script('get', '/api/mail/', () => succeed(wirePage([])));
  script('get', '/api/channel/tests/runs', () => succeed([]));
  script('get', '/api/alerts/destinations', () => succeed([]));
  script('get', '/api/alerts/deliveries', () => succeed(wirePage([])));
});

it('shows the cost of scheduled tests before saving', async () => {
  const asked = script('post', '/api/channel/tests/schedule/estimate', () =>
    succeed({ channels: 4, free: 3, unpriced: 1, run_micro_usd: 20_000, month_micro_usd: 14_400_000 }),
  );
  const { user } = show(page, '/panel/setting');
  const minutes = await screen.findByLabelText('Interval of channel tests');
  await user.clear(minutes);
  await user.type(minutes, '60');
  expect(
    await screen.findByText(/4 channels, 3 of them with a free check.*\$0\.02 per round and \$14\.40/),
  ).toBeTruthy();
  expect(screen.getByText(/The model of 1 channel has no price/)).toBeTruthy();
  expect(asked.at(-1)?.body).toMatchObject({ every_minutes: 60, channels: 'enabled', run_cap: 50_000 });
});

it('counts the changes and sends only these in one call', async () => {
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const name = await screen.findByLabelText('Name');
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await user.clear(name);
  await user.type(name, 'Harbour');
  await user.click(screen.getByRole('switch', { name: 'Log calls' }));
  const bar = await screen.findByText('2 unsaved changes');
  expect(bar).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('2 settings saved');
  expect(saved.map(({ body }) => body)).toEqual([
    [
      { key: 'LogConsumeEnabled', value: 'false' },
      { key: 'SystemName', value: 'Harbour' },
    ],
  ]);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull());
});

function SystemName() {
  return <h1>{useSystemName()}</h1>;
}

it('refetches the site information after saving, so that a new name shows at once', async () => {
  let name = 'Before';
  script('get', '/api/status', () => succeed({ ...wireSite, system_name: name }));
  script('put', '/api/option/batch', () => {
    name = 'After';
    return succeed(null);
  });
  const { user } = show(
    <>
      <SystemName />
      {page}
    </>,
    '/panel/setting',
  );
  await screen.findByRole('heading', { name: 'Before' });
  await user.type(await screen.findByLabelText('Name'), '!');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('heading', { name: 'After' })).toBeTruthy();
});

it('shows an error from the server at its field', async () => {
  script('put', '/api/option/batch', () =>
    refuse('invalid-input', 400, {
      fields: [{ path: 'TopUpLink', rule: 'invalid_union', message: 'TopUpLink: Invalid input' }],
    }),
  );
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByLabelText('Top-up link'), 'https://pay.example');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Invalid format')).toBeTruthy();
  expect(screen.getByText('1 unsaved change')).toBeTruthy();
});

it('rejects invalid values before sending', async () => {
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const attempts = await screen.findByLabelText('Retries');
  await user.clear(attempts);
  await user.type(attempts, '11');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('At most 10')).toBeTruthy();
  expect(saved).toEqual([]);
});

it('finds settings by label, help or option name and hides the other groups', async () => {
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByRole('searchbox', { name: 'Search settings' }), 'RetryTimes');
  await waitFor(() => expect(screen.queryByLabelText('Name')).toBeNull());
  expect(screen.getByLabelText('Retries')).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Customization' })).toBeNull();
});

it('resets a setting to its default', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ retryTimes: 7 })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  await user.click(await screen.findByRole('button', { name: 'Reset to default: Retries' }));
  expect(screen.getByLabelText<HTMLInputElement>('Retries').value).toBe('2');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  expect(saved[0]?.body).toEqual([{ key: 'RetryTimes', value: '2' }]);
});

it('sends chat clients in the order of their rows', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ chatLinks: links })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const clients = await screen.findByRole('group', { name: 'Chat clients' });
  const names = () =>
    within(clients)
      .getAllByLabelText<HTMLInputElement>('Name')
      .map(({ value }) => value);
  expect(names()).toEqual(['First', 'Second']);
  await user.click(within(clients).getByRole('button', { name: 'Move client 2 up' }));
  expect(names()).toEqual(['Second', 'First']);
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  const [sent] = settings.updateMany.body.parse(saved[0]?.body);
  expect(JSON.parse(sent?.value ?? '')).toMatchObject([
    { name: 'Second', sort: 2 },
    { name: 'First', sort: 1 },
  ]);
});

it('sends model fallbacks once every line is valid', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ modelFallbacks: { 'gpt-4o': ['gpt-4.1'] } })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Fallback models');
  expect(field.value).toBe('gpt-4o: gpt-4.1');
  await user.type(field, '{Enter}o3');
  expect(await screen.findByText(/^Line 2: enter a model/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(saved).toEqual([]);
  await user.type(field, ': o4-mini, gpt-4.1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  const [sent] = settings.updateMany.body.parse(saved[0]?.body);
  expect(JSON.parse(sent?.value ?? '')).toEqual({ 'gpt-4o': ['gpt-4.1'], o3: ['o4-mini', 'gpt-4.1'] });
});

it('shows a preview of Markdown', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ notice: '**Maintenance** tonight' })));
  const { user } = show(page, '/panel/setting');
  const tabs = await screen.findByRole('tablist', { name: 'Announcement' });
  await user.click(within(tabs).getByRole('tab', { name: 'Preview' }));
  const preview = await screen.findByRole('region', { name: 'Preview of Announcement' });
  expect((await within(preview).findByText('Maintenance')).tagName).toBe('STRONG');
});

it('counts old records and deletes them only after the count is typed', async () => {
  const counts = script('get', '/api/log/', ({ url }) =>
    succeed(wirePage([], url.searchParams.get('log_type') === '2' ? 1200 : 34)),
  );
  const removed = script('delete', '/api/log/', () => succeed(1234));
  const { user } = show(page, '/panel/setting');
  expect(await screen.findByText('1,234 usage records are older.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Delete records' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete 1,234 records?' });
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete records' });
  expect(button.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), '1234');
  await user.click(button);
  await screen.findByText('1,234 records deleted');
  const before = Number(removed[0]?.url.searchParams.get('target_timestamp'));
  expect(Number(counts[0]?.url.searchParams.get('end_timestamp'))).toBe(before - 1);
});

it('asks for the password before it saves a sign-in setting and then sends the same change again', async () => {
  let confirmed = false;
  const saved = script('put', '/api/option/batch', () => (confirmed ? succeed(null) : refuse('step-up-required', 403)));
  const given = scriptConfirmation(() => {
    confirmed = true;
  });
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByLabelText('GitHub client ID'), 'Iv1.depot');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await user.type(await screen.findByLabelText('Password'), 'my password');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByText('1 setting saved');
  expect(given.map(({ body }) => body)).toEqual([{ password: 'my password' }]);
  const sent = [{ key: 'GitHubClientId', value: 'Iv1.depot' }];
  expect(saved.map(({ body }) => body)).toEqual([sent, sent]);
});

it('shows which secrets are set, sends a new one once and then forgets it', async () => {
  let hint = 'abcd';
  script('get', '/api/option/secrets', () => succeed(wireSecrets({ smtpToken: hint })));
  const saved = script('put', '/api/option/batch', () => {
    hint = '9876';
    return succeed(null);
  });
  const { user } = show(page, '/panel/setting');
  const field = await screen.findByLabelText<HTMLInputElement>('SMTP password');
  await waitFor(() => expect(field.placeholder).toContain('…abcd'));
  expect(screen.getByLabelText('GitHub client secret')).toHaveProperty('placeholder', '');
  expect(screen.getAllByText('Not set').length).toBe(wireSecrets().length - 1);
  await user.type(field, 'a new secret 9876');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  await waitFor(() => expect(field.placeholder).toContain('…9876'));
  expect(field.value).toBe('');
  await user.type(await screen.findByLabelText('SMTP username'), 'ada');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await waitFor(() => expect(saved.length).toBe(2));
  expect(saved.map(({ body }) => body)).toEqual([
    [{ key: 'SMTPToken', value: 'a new secret 9876' }],
    [{ key: 'SMTPAccount', value: 'ada' }],
  ]);
});

it('clears a secret after a confirmation and explains when an enabled setting requires it', async () => {
  let needed = true;
  let hint = 'abcd';
  script('get', '/api/option/secrets', () => succeed(wireSecrets({ larkClientSecret: hint })));
  const saved = script('put', '/api/option/batch', () => {
    if (needed) {
      const fields = [{ path: 'LarkClientSecret', rule: 'needed', message: 'LarkClientSecret is needed' }];
      return refuse('invalid-input', 400, { fields });
    }
    hint = '';
    return succeed(null);
  });
  const { user } = show(page, '/panel/setting');
  const clear = async () => {
    await user.click(await screen.findByRole('button', { name: 'Clear: Lark app secret' }));
    const question = await screen.findByRole('alertdialog', { name: 'Clear Lark app secret?' });
    await user.click(within(question).getByRole('button', { name: 'Clear' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  };
  await clear();
  expect(await screen.findByText('Required by an enabled setting')).toBeTruthy();
  needed = false;
  await clear();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Clear: Lark app secret' })).toBeNull());
  expect(saved.at(-1)?.body).toEqual([{ key: 'LarkClientSecret', value: '' }]);
});

it('shows the setting that an enabled one requires, even if the search hides it', async () => {
  script('put', '/api/option/batch', () =>
    refuse('invalid-input', 400, {
      fields: [{ path: 'ServerAddress', rule: 'needed', message: 'ServerAddress is needed' }],
    }),
  );
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByRole('searchbox', { name: 'Search settings' }), 'OAuthEnabled');
  await waitFor(() => expect(screen.queryByLabelText('Server URL')).toBeNull());
  await user.click(screen.getByRole('switch', { name: 'GitHub sign-in' }));
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Required by an enabled setting')).toBeTruthy();
  expect(screen.getByLabelText('Server URL')).toHaveProperty('ariaInvalid', 'true');
});

it('sends mail domains in the format of the public API', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ emailDomains: ['example.com'] })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByLabelText('Allowed email domains'), 'Uni.example.org, qq.com{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  expect(saved[0]?.body).toEqual([{ key: 'EmailDomainWhitelist', value: 'example.com,uni.example.org,qq.com' }]);
});

it.each([
  ['GitHub client ID', 'github'],
  ['OIDC client ID', 'oidc'],
  ['Lark app ID', 'lark'],
])('shows the redirect URI to register for the %s', async (label, provider) => {
  script('get', '/api/option/', () => succeed(wireOptions({ serverAddress: 'https://gate.example.com/' })));
  show(page, '/panel/setting');
  const described = (await screen.findByLabelText(label)).getAttribute('aria-describedby') ?? '';
  expect(document.getElementById(described)?.textContent).toBe(
    `Callback URL to register: https://gate.example.com/oauth/${provider}`,
  );
});

it('edits discounts as rows and shows a row’s error at the row', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ rechargeDiscount: { '100': 0.9 } })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  expect(await screen.findByText('10% off')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Add amount' }));
  await user.type(screen.getByLabelText('Amount 2'), '100');
  await user.type(screen.getByLabelText('Factor 2'), '0.8');
  expect(screen.getByText('This amount already has a row')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(saved).toEqual([]);
  await user.type(screen.getByLabelText('Amount 2'), '0');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  expect(saved[0]?.body).toEqual([{ key: 'RechargeDiscount', value: '{"100":0.9,"1000":0.8}' }]);
});

const change = (id: number, key: string, before: string | null, after: string | null) => ({
  id,
  created_at: 1_700_000_000 + id,
  username: 'keeper',
  changes: [{ key, before, after, secret: null }],
});

it('shows the history of settings and restores a value into the form', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ retryTimes: 7 })));
  const asked = script('get', '/api/option/history', () =>
    succeed(
      wirePage([
        change(3, 'RetryTimes', '4', '7'),
        change(2, 'RetryTimes', '99', '4'),
        {
          ...change(1, 'SMTPToken', null, null),
          changes: [{ key: 'SMTPToken', before: null, after: null, secret: 'set' }],
        },
      ]),
    ),
  );
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  await user.click(await screen.findByRole('button', { name: 'History' }));
  expect(await screen.findByText('New secret set')).toBeTruthy();
  const [newest, old] = screen.getAllByRole('button', { name: 'Restore the previous value: Retries' });
  await user.click(old ?? document.body);
  expect(await screen.findByText('Retries no longer accepts this value')).toBeTruthy();
  await user.click(newest ?? document.body);
  expect(await screen.findByText(/Retries is restored in the form/)).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>('Retries').value).toBe('4');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  expect(saved[0]?.body).toEqual([{ key: 'RetryTimes', value: '4' }]);
  await user.click(await screen.findByRole('button', { name: 'History: Retries' }));
  await waitFor(() => expect(asked.at(-1)?.url.searchParams.get('key')).toBe('RetryTimes'));
});

it('shows model fallbacks as JSON and as rows again', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ modelFallbacks: { 'gpt-4o': ['gpt-4.1'] } })));
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByRole('searchbox', { name: 'Search settings' }), 'ModelFallbacks');
  await user.click(await screen.findByRole('button', { name: 'Edit as JSON' }));
  const editor = await screen.findByRole('textbox', { name: 'Fallback models' });
  expect(editor.textContent).toContain('"gpt-4.1"');
  await user.click(screen.getByRole('button', { name: 'Edit as rows' }));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Fallback models').value).toBe('gpt-4o: gpt-4.1');
});

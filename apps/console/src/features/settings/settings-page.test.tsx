import {
  type SettingName,
  settingDefinitions,
  settingNames,
  settings,
  settingToText,
} from '@switchyard/contract/settings';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { show } from '../../testing/render.tsx';
import { wirePage, wireSite } from '../../testing/samples.ts';
import { refuse, script, succeed } from '../../testing/server.ts';
import { useSystemName } from '../site/queries.ts';
import { SettingsPage } from './settings-page.tsx';

const page = <SettingsPage />;

/** All settings as the server sends them. */
function wireOptions(changed: Partial<Record<SettingName, unknown>> = {}) {
  return settingNames.map((name) => ({
    key: settingDefinitions[name].option,
    value: settingToText(changed[name] ?? settingDefinitions[name].default),
  }));
}

const links = [
  { name: 'Second', url: 'https://two.example/{key}', show: true, sort: 1 },
  { name: 'First', url: 'https://one.example/{key}', show: true, sort: 2 },
];

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/option/', () => succeed(wireOptions()));
  script('get', '/api/log/', () => succeed(wirePage([], 0)));
});

it('says how many changes there are and sends only these, in one call', async () => {
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const name = await screen.findByLabelText('Name');
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await user.clear(name);
  await user.type(name, 'Harbour');
  await user.click(screen.getByRole('switch', { name: 'Record calls' }));
  const bar = await screen.findByText('2 changes not saved');
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

it('reads the site again after saving, so that a new name shows at once', async () => {
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

it('puts what the server refuses at its field', async () => {
  script('put', '/api/option/batch', () =>
    refuse('invalid-input', 400, {
      fields: [{ path: 'TopUpLink', rule: 'invalid_union', message: 'TopUpLink: Invalid input' }],
    }),
  );
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByLabelText('Top-up link'), 'https://pay.example');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The format is not right')).toBeTruthy();
  expect(screen.getByText('1 change not saved')).toBeTruthy();
});

it('refuses what the contract refuses before anything is sent', async () => {
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const attempts = await screen.findByLabelText('Further attempts');
  await user.clear(attempts);
  await user.type(attempts, '11');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('At most 10')).toBeTruthy();
  expect(saved).toEqual([]);
});

it('finds settings by label, help or option name and hides the other groups', async () => {
  const { user } = show(page, '/panel/setting');
  await user.type(await screen.findByRole('searchbox', { name: 'Find a setting' }), 'RetryTimes');
  await waitFor(() => expect(screen.queryByLabelText('Name')).toBeNull());
  expect(screen.getByLabelText('Further attempts')).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Customisation' })).toBeNull();
});

it('takes a setting back to its default', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ retryTimes: 7 })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  await user.click(await screen.findByRole('button', { name: 'Reset to default: Further attempts' }));
  expect(screen.getByLabelText<HTMLInputElement>('Further attempts').value).toBe('2');
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

it('sends the models that stand in for others, once every line can be read', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ modelFallbacks: { 'gpt-4o': ['gpt-4.1'] } })));
  const saved = script('put', '/api/option/batch', () => succeed(null));
  const { user } = show(page, '/panel/setting');
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Models that stand in');
  expect(field.value).toBe('gpt-4o: gpt-4.1');
  await user.type(field, '{Enter}o3');
  expect(await screen.findByText(/^Line 2: write a model/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(saved).toEqual([]);
  await user.type(field, ': o4-mini, gpt-4.1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('1 setting saved');
  const [sent] = settings.updateMany.body.parse(saved[0]?.body);
  expect(JSON.parse(sent?.value ?? '')).toEqual({ 'gpt-4o': ['gpt-4.1'], o3: ['o4-mini', 'gpt-4.1'] });
});

it('shows Markdown as it will look', async () => {
  script('get', '/api/option/', () => succeed(wireOptions({ notice: '**Maintenance** tonight' })));
  const { user } = show(page, '/panel/setting');
  const tabs = await screen.findByRole('tablist', { name: 'Announcement' });
  await user.click(within(tabs).getByRole('tab', { name: 'Preview' }));
  const preview = await screen.findByRole('region', { name: 'Preview of Announcement' });
  expect((await within(preview).findByText('Maintenance')).tagName).toBe('STRONG');
});

it('counts old records and wants the count typed before it deletes them', async () => {
  const counts = script('get', '/api/log/', ({ url }) =>
    succeed(wirePage([], url.searchParams.get('log_type') === '2' ? 1200 : 34)),
  );
  const removed = script('delete', '/api/log/', () => succeed(1234));
  const { user } = show(page, '/panel/setting');
  expect(await screen.findByText('1,234 records of calls are older.')).toBeTruthy();
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

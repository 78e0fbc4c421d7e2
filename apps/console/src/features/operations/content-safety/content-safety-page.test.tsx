import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { ContentSafetyPage } from './content-safety-page.tsx';

const list = {
  id: 1,
  name: 'Weapons',
  enabled: true,
  kind: 'words',
  action: 'mask',
  groups: [],
  input: true,
  output: true,
  model: '',
  url: '',
  thresholds: {},
  timeout_ms: 2_000,
  on_failure: 'pass',
  word_count: 2,
  has_secret: false,
  found: 3,
};
const webhook = { ...list, id: 2, name: 'Ours', kind: 'webhook', action: 'refuse', output: false, has_secret: true };
const defaults = {
  enabled: true,
  groups: [],
  input: true,
  output: false,
  words: [],
  model: '',
  url: '',
  secret: '',
  thresholds: {},
  timeout_ms: 2_000,
  on_failure: 'pass',
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/content_safety/rules', () => succeed([list, webhook]));
  script('get', '/api/content_safety/rules/1', () => succeed({ ...list, words: ['bomb', '炸弹'] }));
});

it('shows the action and the recent matches of each rule', async () => {
  show(<ContentSafetyPage />, '/panel/content_safety');
  expect(await screen.findByText('Weapons')).toBeTruthy();
  expect(screen.getAllByText('Mask the words').length).toBe(1);
  expect(screen.getByText(/2 words/)).toBeTruthy();
  expect(screen.getAllByText('3 matches in the last 7 days').length).toBe(2);
});

it('accepts one word per line, also pasted', async () => {
  const created = script('post', '/api/content_safety/rules', () => succeed({ ...list, id: 3 }));
  const { user, search } = show(<ContentSafetyPage />, '/panel/content_safety?edit=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'New rule' }));
  await user.type(drawer.getByLabelText('Name'), 'Words');
  await user.click(drawer.getByLabelText('Words, one per line'));
  await user.paste('bomb\n\n  two words  \n炸弹');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(created[0]?.body).toEqual({
    ...defaults,
    name: 'Words',
    kind: 'words',
    action: 'refuse',
    words: ['bomb', 'two words', '炸弹'],
  });
});

it('shows the words of an edited rule and rejects a wildcard inside one at its field', async () => {
  const updated = script('put', '/api/content_safety/rules/1', () => succeed(list));
  const { user } = show(<ContentSafetyPage />, '/panel/content_safety?edit=1');
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit rule' }));
  const words = await drawer.findByLabelText<HTMLTextAreaElement>('Words, one per line');
  expect(words.value).toBe('bomb\n炸弹');
  await user.type(words, '{End}{Enter}b*d');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(words.getAttribute('aria-describedby')).not.toBeNull());
  expect(updated).toHaveLength(0);
});

it.each([
  ['a new rule', 'new', 'post', '/api/content_safety/rules'],
  ['a changed rule', '1', 'put', '/api/content_safety/rules/1'],
] as const)(
  'asks for a confirmation of %s when the server requires it and then saves',
  async (_what, rule, method, path) => {
    let confirmed = false;
    scriptConfirmation(() => {
      confirmed = true;
    });
    const saved = script(method, path, () => (confirmed ? succeed(list) : refuse('step-up-required', 403)));
    const { user } = show(<ContentSafetyPage />, `/panel/content_safety?edit=${rule}`);
    const drawer = within(await screen.findByRole('dialog', { name: rule === 'new' ? 'New rule' : 'Edit rule' }));
    await user.type(await drawer.findByLabelText('Name'), ' again');
    await user.click(drawer.getByLabelText('Words, one per line'));
    await user.paste('\nbomb');
    await user.click(drawer.getByRole('button', { name: 'Save' }));
    await user.type(await screen.findByLabelText('Password'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Confirm' }));
    await screen.findByText('Saved');
    expect(saved).toHaveLength(2);
  },
);

it('shows a server error at its field', async () => {
  script('post', '/api/content_safety/rules', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'words', rule: 'required', message: '' }] }),
  );
  const { user } = show(<ContentSafetyPage />, '/panel/content_safety?edit=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'New rule' }));
  await user.type(drawer.getByLabelText('Name'), 'Empty');
  const words = drawer.getByLabelText('Words, one per line');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(words.getAttribute('aria-invalid')).toBe('true'));
});

it('tests the rules on a sample text', async () => {
  const tried = script('post', '/api/content_safety/try', () =>
    succeed({ refused: false, text: 'a ***', found: [{ id: 1, name: 'Weapons', action: 'mask' }] }),
  );
  const { user } = show(<ContentSafetyPage />, '/panel/content_safety');
  await user.type(await screen.findByLabelText('Text to test'), 'a bomb');
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  expect(await screen.findByText('Weapons: Mask the words')).toBeTruthy();
  expect(screen.getByText('a ***')).toBeTruthy();
  expect(tried[0]?.body).toEqual({ text: 'a bomb', group: 'default', place: 'input' });
});

import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { ImportDialog } from './import-dialog.tsx';

const item = (index: number, more: object) => ({
  index,
  name: `row ${index}`,
  type: 1,
  outcome: 'new',
  changes: [],
  left_out: [],
  refusals: [],
  ...more,
});

it('previews the effect of a file before importing it', async () => {
  const items = [
    item(0, {}),
    item(1, { outcome: 'changed', changes: [{ path: 'priority', before: 0, after: 5 }] }),
    item(2, {
      outcome: 'refused',
      left_out: ['pre_cost'],
      refusals: [{ path: 'group', rule: 'unknown-group', message: 'There is no group x' }],
    }),
  ];
  const calls = script('post', '/api/channel/import', () => succeed({ source: 'one-hub', items }));
  const { user } = show(<ImportDialog onClose={() => undefined} />, '/panel/channel');
  const dialog = await screen.findByRole('dialog', { name: 'Import channels' });
  await user.click(within(dialog).getByRole('textbox', { name: 'Or paste JSON' }));
  await user.paste('no json');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  await within(dialog).findByText('Not valid JSON');
  await user.clear(within(dialog).getByRole('textbox', { name: 'Or paste JSON' }));
  await user.click(within(dialog).getByRole('textbox', { name: 'Or paste JSON' }));
  await user.paste('[{"name":"row 0"}]');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  await within(dialog).findByText('Groups: This group does not exist');
  expect(within(dialog).getAllByText('Not imported: pre_cost')).not.toHaveLength(0);
  await user.click(within(dialog).getByRole('button', { name: 'Import 2 channels' }));
  await screen.findByText('2 channels imported');
  const body = { content: [{ name: 'row 0' }], source: 'auto', known: 'update' };
  expect(calls.map((call) => call.body)).toEqual([{ ...body, dry_run: true }, body]);
});

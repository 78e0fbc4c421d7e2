import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { wireBatch, wireCode } from './redemption-codes.samples.ts';
import { RedemptionCodesPage } from './redemption-codes-page.tsx';

const page = <RedemptionCodesPage />;
const ADDRESS = '/panel/redemption';
const BATCHES = '/api/redemption/batch/';
const CODES = '/api/redemption/';
let saved: Blob[];

beforeEach(() => {
  saved = [];
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(2, 'vip')])));
  // jsdom lacks these functions.
  URL.createObjectURL = (blob) => {
    if (blob instanceof Blob) saved.push(blob);
    return 'blob:x';
  };
  URL.revokeObjectURL = () => {};
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

async function choose(user: ReturnType<typeof show>['user'], entry: string): Promise<void> {
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: entry }));
}

it('lists batches with their value, redeemed codes and expiry', async () => {
  const calls = script('get', BATCHES, () =>
    succeed(
      wirePage([
        wireBatch(1, 'Spring', { per_user: 2, for_group: 'vip' }),
        wireBatch(2, 'Old', { expires_time: 1_600_000_000 }),
        wireBatch(3, 'Off', { enabled: false }),
      ]),
    ),
  );
  show(page, `${ADDRESS}?keyword=s&order=-quota`);
  await screen.findByText('Spring');
  const rows = screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);
  expect(rows[0]).toMatch(/Spring.*Enabled.*\$10\.00.*3 of 10.*Never.*vip/);
  expect(rows[1]).toContain('Expired');
  expect(rows[2]).toContain('Disabled');
  expect(Object.fromEntries(calls[0]?.url.searchParams ?? [])).toMatchObject({ keyword: 's', order: '-quota' });
});

it('creates a batch, shows its codes once and offers to copy, save and print them', async () => {
  script('get', BATCHES, () => succeed(wirePage([])));
  let confirmed = false;
  const proofs = scriptConfirmation(() => {
    confirmed = true;
  });
  const made = script('post', CODES, () =>
    confirmed ? succeed(['SPRING-AAAAA-BBBBB', 'SPRING-CCCCC-DDDDD']) : refuse('step-up-required', 403),
  );
  const { user } = show(page, `${ADDRESS}?edit=new`);
  const drawer = await screen.findByRole('dialog', { name: 'Create codes' });
  await user.type(await within(drawer).findByLabelText('Name'), 'Spring');
  const count = within(drawer).getByLabelText('Number of codes');
  await user.clear(count);
  await user.type(count, '2');
  await user.click(within(drawer).getByRole('button', { name: 'Prefix, limits and groups' }));
  await user.type(within(drawer).getByLabelText('Prefix'), 'SPRING');
  await user.click(within(drawer).getByRole('combobox', { name: 'Assigned group' }));
  await user.click(await screen.findByRole('option', { name: 'vip' }));
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await user.type(await screen.findByLabelText('Password'), 'secret{Enter}');

  const dialog = await screen.findByRole('dialog', { name: '2 codes created' });
  expect(proofs).toHaveLength(1);
  expect(made.at(-1)?.body).toEqual({
    name: 'Spring',
    quota: 5_000_000,
    count: 2,
    prefix: 'SPRING',
    expires_time: 0,
    per_user: 0,
    for_group: '',
    grant_group: 'vip',
  });
  expect(within(dialog).getByLabelText('Codes').textContent).toBe('SPRING-AAAAA-BBBBB\nSPRING-CCCCC-DDDDD');
  await user.click(within(dialog).getByRole('button', { name: 'Download as text' }));
  expect(await saved[0]?.text()).toContain('SPRING-AAAAA-BBBBB\nSPRING-CCCCC-DDDDD\n');
  await user.click(within(dialog).getByRole('button', { name: 'Copy all' }));
  expect(await navigator.clipboard.readText()).toBe('SPRING-AAAAA-BBBBB\nSPRING-CCCCC-DDDDD');

  const print = vi.spyOn(window, 'print').mockImplementation(() => {});
  await user.click(within(dialog).getByRole('button', { name: 'Print sheet' }));
  const sheet = await screen.findByRole('dialog', { name: 'Sheet of “Spring”' });
  const [card] = within(sheet).getAllByRole('listitem');
  expect(card?.textContent).toBe('Test Gateway$10.00SPRING-AAAAA-BBBBBDoes not expireai.example.com');
  expect(within(sheet).getByRole('img', { name: 'QR code of SPRING-CCCCC-DDDDD' })).toBeTruthy();
  await user.click(within(sheet).getByRole('button', { name: 'Print' }));
  expect(print).toHaveBeenCalledOnce();
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByText(/SPRING-AAAAA/)).toBeNull());
});

it('shows a server error of a new batch at its field', async () => {
  script('get', BATCHES, () => succeed(wirePage([])));
  script('post', CODES, () =>
    refuse('invalid-input', 400, {
      fields: [{ path: 'expires_time', rule: 'past', message: 'This time is in the past' }],
    }),
  );
  const { user } = show(page, `${ADDRESS}?edit=new`);
  await user.type(await screen.findByLabelText('Name'), 'Late');
  const worth = screen.getByLabelText('Value');
  await user.clear(worth);
  await user.type(worth, '0');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('At least 1')).toBeTruthy();
  await user.clear(worth);
  await user.type(worth, '1');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('This time is in the past')).toBeTruthy();
});

it('changes the editable values of a batch', async () => {
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring')])));
  script('get', `${BATCHES}4`, () => succeed(wireBatch(4, 'Spring', { grant_group: 'vip' })));
  const updates = script('put', BATCHES, () => succeed(wireBatch(4, 'Summer')));
  const { user } = show(page, `${ADDRESS}?edit=4`);
  const name = await screen.findByLabelText('Name');
  expect(screen.queryByLabelText('Value')).toBeNull();
  await user.clear(name);
  await user.type(name, 'Summer');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ id: 4, name: 'Summer', expires_time: 0, per_user: 0, enabled: true });
});

it('disables a batch and undoes it', async () => {
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring')])));
  const updates = script('put', BATCHES, () => succeed(wireBatch(4, 'Spring')));
  const { user } = show(page, ADDRESS);
  await choose(user, 'Disable');
  await screen.findByText('Spring disabled');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(updates.map(({ body }) => body)).toEqual([
      { id: 4, enabled: false },
      { id: 4, enabled: true },
    ]),
  );
});

it('deletes a batch with unused codes only after its name is typed', async () => {
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring')])));
  const removals = script('delete', `${BATCHES}4`, () => succeed(null));
  const { user } = show(page, ADDRESS);
  await choose(user, 'Delete');
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete “Spring”?' });
  expect(dialog.textContent).toContain('7 unredeemed codes');
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  expect(button.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), 'Spring');
  await user.click(button);
  await screen.findByText('Spring deleted');
  expect(removals).toHaveLength(1);
});

it('saves a batch as CSV and prints its unused codes, each after a confirmation', async () => {
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring', { expires_time: 1_900_000_000 })])));
  let confirmed = false;
  scriptConfirmation(() => {
    confirmed = true;
  });
  script('post', `${BATCHES}4/export`, () =>
    confirmed ? new Response('id,name,code\r\n1,Spring,AAAAA-BBBBB\r\n') : refuse('step-up-required', 403),
  );
  script('post', `${BATCHES}4/codes`, () => succeed(['CCCCC-DDDDD']));
  const { user } = show(page, ADDRESS);
  await choose(user, 'Export CSV');
  await user.type(await screen.findByLabelText('Password'), 'secret{Enter}');
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(await saved[0]?.text()).toContain('1,Spring,AAAAA-BBBBB');
  await choose(user, 'Print sheet');
  const sheet = await screen.findByRole('dialog', { name: 'Sheet of “Spring”' });
  expect(within(sheet).getByRole('listitem').textContent).toMatch(/CCCCC-DDDDDValid until .*2030/);
});

it('lists codes by status, batch and redeemer', async () => {
  const calls = script('get', CODES, () =>
    succeed(
      wirePage([
        wireCode(1, '…AB2C'),
        wireCode(2, '…XY9Z', { status: 3, redeemed_time: 1_790_000_100, redeemed_by: { id: 9, username: 'buyer' } }),
      ]),
    ),
  );
  show(page, `${ADDRESS}?tab=codes&status=used&batch_id=1&username=buyer&keyword=Spr`);
  expect((await screen.findByRole('link', { name: 'buyer' })).getAttribute('href')).toBe('/panel/user/9');
  expect(Object.fromEntries(calls[0]?.url.searchParams ?? [])).toMatchObject({
    status: '3',
    batch_id: '1',
    username: 'buyer',
    keyword: 'Spr',
  });
});

it('shows a code after a confirmation', async () => {
  script('get', CODES, () => succeed(wirePage([wireCode(5, '…AB2C')])));
  let confirmed = false;
  scriptConfirmation(() => {
    confirmed = true;
  });
  script('post', `${CODES}5/key`, () => (confirmed ? succeed('AAAAA-BAB2C') : refuse('step-up-required', 403)));
  const { user } = show(page, `${ADDRESS}?tab=codes`);
  await choose(user, 'Show code');
  await user.type(await screen.findByLabelText('Password'), 'secret{Enter}');
  expect(await screen.findByText('AAAAA-BAB2C')).toBeTruthy();
});

it('disables and deletes a code, but not a redeemed one', async () => {
  let status = 1;
  script('get', CODES, () => succeed(wirePage([wireCode(5, '…AB2C', { status })])));
  const updates = script('put', CODES, () => succeed(wireCode(5, '…AB2C')));
  const removals = script('delete', `${CODES}5`, () => {
    status = 3;
    return succeed(null);
  });
  const { user } = show(page, `${ADDRESS}?tab=codes`);
  await choose(user, 'Disable');
  await screen.findByText('…AB2C disabled');
  expect(updates[0]?.body).toEqual({ id: 5, status: 2 });
  await choose(user, 'Delete');
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete …AB2C?' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText('…AB2C deleted');
  expect(removals).toHaveLength(1);
  await screen.findByText('Redeemed', { selector: 'td span' });
  await user.click(await screen.findByRole('button', { name: 'More' }));
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Show code']);
});

it('lets read-only users neither create, change nor reveal codes', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['codes.read'])));
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring')])));
  script('get', CODES, () => succeed(wirePage([wireCode(5, '…AB2C')])));
  const { user, search } = show(page, `${ADDRESS}?edit=new`);
  await user.click(await screen.findByText('Spring'));
  await waitFor(() => expect(search()).toEqual({ tab: 'codes', batch_id: '4' }));
  await screen.findByText('…AB2C');
  expect(screen.queryByRole('button', { name: 'Create codes' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'More' })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('clears one list’s filters when the other list is shown', async () => {
  script('get', BATCHES, () => succeed(wirePage([wireBatch(4, 'Spring')])));
  script('get', CODES, () => succeed(wirePage([])));
  const { user, search } = show(page, `${ADDRESS}?tab=codes&status=used&page=3`);
  await user.click(await screen.findByRole('tab', { name: 'Batches' }));
  await screen.findByText('Spring');
  expect(search()).toEqual({});
});

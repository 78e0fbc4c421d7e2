import type { prices } from '@switchyard/contract/catalog/prices';
import type { RouteResponse } from '@switchyard/contract/route';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../../testing/mock-api-server.ts';
import { show } from '../../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../../testing/wire-samples.ts';
import { newValues, priceBody } from '../editor/price-form-values.ts';
import { PricesPage } from './prices-page-and-warnings.tsx';

type Price = RouteResponse<typeof prices.create>;

/** Returns a price as the server sends it, from rates in USD per million tokens. */
function wirePrice(model: string, input: number, output: number, more: Partial<Price> = {}): Price {
  const values = newValues(model);
  const body = priceBody({ ...values, rates: { ...values.rates, input, output } });
  return { ...body, input: input / 2, output: output / 2, version: 1, ...more };
}

const mini = wirePrice('gpt-5-mini', 0.25, 2, { channel_type: 1 });
const picture = wirePrice('painter', 0, 0, {
  type: 'times',
  rates: priceBody({ ...newValues('x'), type: 'times', rates: { ...newValues('x').rates, input: 0.04 } }).rates,
});
const changedMeanwhile = () =>
  refuse('conflict', 409, { fields: [{ path: '', rule: 'changed-meanwhile', message: 'changed' }] });
const page = <PricesPage />;

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/model_ownedby', () => succeed([]));
  script('get', '/api/prices/unpriced', () => succeed([]));
  script('get', '/api/prices/missing-rates', () => succeed([]));
  script('get', '/api/prices/list', () => succeed(wirePage([mini, picture])));
  script('get', '/api/prices', () => succeed([mini, picture]));
  script('get', '/api/prices/versions/gpt-5-mini', () => succeed([]));
  script('get', '/api/user_group_map', () =>
    succeed({
      vip: {
        id: 2,
        symbol: 'vip',
        name: 'VIP',
        ratio: 0.5,
        public: true,
        enable: true,
        api_rate: 0,
        tpm: 0,
        order: 'weight',
        promotion: false,
        min: 0,
        max: 0,
      },
    }),
  );
});

it('shows prices in USD for a million tokens or a call', async () => {
  show(page, '/panel/pricing');
  expect(await screen.findByText('$0.25')).toBeTruthy();
  expect(screen.getByText('$2.00')).toBeTruthy();
  expect(screen.getByText('$0.04 / call')).toBeTruthy();
});

it('requests the type, owner and page of the URL', async () => {
  const calls = script('get', '/api/prices/list', () => succeed(wirePage([mini])));
  show(page, '/panel/pricing?type=tokens&owner=1&keyword=gpt&page=2');
  await screen.findByText('gpt-5-mini');
  expect(Object.fromEntries(calls[0]?.url.searchParams ?? [])).toMatchObject({
    type: 'tokens',
    channel_type: '1',
    keyword: 'gpt',
    page: '2',
  });
});

it('lists counters without a rate, with a button that opens their price', async () => {
  const missing = { model: 'gpt-5-mini', counter: 'webSearch', calls: 3, last_seen: 1_700_000_000 };
  script('get', '/api/prices/missing-rates', () => succeed([missing]));
  const { user } = show(page, '/panel/pricing');
  const name = 'Set the rate of Web search for gpt-5-mini';
  await user.click(await screen.findByRole('button', { name }));
  expect(await screen.findByRole('dialog', { name: 'Edit price' })).toBeTruthy();
});

it('creates a price in USD for an unpriced model and shows the cost of a call', async () => {
  script('get', '/api/prices/unpriced', () => succeed(['my-model']));
  const created = script('post', '/api/prices/single', () => succeed(wirePrice('my-model', 1.1, 4.4)));
  const { user } = show(page, '/panel/pricing');
  await user.click(await screen.findByRole('button', { name: 'Add a price for my-model' }));
  const drawer = await screen.findByRole('dialog', { name: 'New price' });
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findAllByText('Required')).toHaveLength(2);
  await user.type(within(drawer).getByLabelText('Input'), '1.1');
  await user.type(within(drawer).getByLabelText('Output'), '4.4');
  expect(
    await within(drawer).findByText('1,000 input + 500 output tokens cost $0.0033 at group ratio 1.'),
  ).toBeTruthy();
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await screen.findByText('Price added: my-model');
  expect(created[0]?.body).toMatchObject({
    model: 'my-model',
    type: 'tokens',
    rates: { input: 550_000_000, output: 2_200_000_000, cachedRead: null },
    locked: true,
  });
});

it('shows at its field that a model already has a price', async () => {
  script('put', '/api/prices/single/gpt-5-mini', () =>
    refuse('already-exists', 409, { fields: [{ path: 'model', rule: 'already-exists', message: 'taken' }] }),
  );
  const { user } = show(page, '/panel/pricing?show=edit&model=gpt-5-mini');
  const drawer = await screen.findByRole('dialog', { name: 'Edit price' });
  await user.type(await within(drawer).findByLabelText('Model'), '-2');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findByText('Already taken')).toBeTruthy();
});

it('deletes several prices only after their number is typed', async () => {
  const removed = script('put', '/api/prices/multiple/delete', () => succeed(2));
  const { user } = show(page, '/panel/pricing');
  await screen.findByText('painter');
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog');
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  expect(button.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), '2');
  await user.click(button);
  await screen.findByText('2 prices deleted');
  const versions = { 'gpt-5-mini': mini.version, painter: picture.version };
  expect(removed[0]?.body).toEqual({ models: ['gpt-5-mini', 'painter'], versions });
});

it('shows models of the same price in one row and changes their price together', async () => {
  const twin = wirePrice('gpt-5-twin', 0.25, 2, { channel_type: 1 });
  script('get', '/api/prices', () => succeed([twin, picture, mini]));
  const saved = script('put', '/api/prices/multiple', changedMeanwhile);
  const { user } = show(page, '/panel/pricing?view=groups');
  await user.click(await screen.findByText('gpt-5-mini'));
  const drawer = await screen.findByRole('dialog', { name: 'Price of 2 models' });
  await user.click(within(drawer).getByLabelText('Models'));
  await user.keyboard('{Backspace}');
  expect(await within(drawer).findByText('1 model is removed and loses its price.')).toBeTruthy();
  const input = within(drawer).getByLabelText('Input');
  await user.clear(input);
  await user.type(input, '0.5');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({
    models: ['gpt-5-twin'],
    original_models: ['gpt-5-twin', 'gpt-5-mini'],
    versions: { 'gpt-5-twin': twin.version, 'gpt-5-mini': mini.version },
    rates: { input: 250_000_000, output: 1_000_000_000 },
  });
  expect(await screen.findByText(/Another user has just changed this/)).toBeTruthy();
});

it('reports that a model of the group has its own price', async () => {
  script('get', '/api/prices', () => succeed([mini]));
  const message = 'The model gpt-5-mini already has a price';
  script('put', '/api/prices/multiple', () =>
    refuse('already-exists', 409, { message, fields: [{ path: 'models', rule: 'already-exists', message }] }),
  );
  const { user } = show(page, '/panel/pricing?view=groups');
  await user.click(await screen.findByText('gpt-5-mini'));
  const drawer = await screen.findByRole('dialog', { name: 'Price of 1 model' });
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(message)).toBeTruthy();
});

it('converts a ratio or yuan to USD in the form', async () => {
  const { user } = show(page, '/panel/pricing?show=new');
  const drawer = await screen.findByRole('dialog', { name: 'New price' });
  await user.click(within(drawer).getByRole('button', { name: 'Convert from a ratio or another currency' }));
  await user.type(within(drawer).getByLabelText('Amount'), '1.5');
  expect(within(drawer).getByText('$3.00 / 1M tokens')).toBeTruthy();
  await user.click(within(drawer).getByRole('button', { name: 'As input' }));
  expect(within(drawer).getByLabelText<HTMLInputElement>('Input').value).toBe('3');
});

it('shows a price’s versions and restores one', async () => {
  const { rates, image_rates, tiers } = wirePrice('gpt-5-mini', 0.5, 2);
  const old = { version: 4, model: 'gpt-5-mini', created_at: 100, type: 'tokens', rates, image_rates, tiers };
  const now = { ...old, version: 5, created_at: 200, rates: mini.rates };
  script('get', '/api/prices/list', () => succeed(wirePage([{ ...mini, version: 5 }])));
  script('get', '/api/prices/versions/gpt-5-mini', () => succeed([now, old]));
  const sent = script('put', '/api/prices/single/gpt-5-mini', () => succeed(mini));
  const { user } = show(page, '/panel/pricing?show=edit&model=gpt-5-mini');
  const drawer = await screen.findByRole('dialog', { name: 'Edit price' });
  await user.click(await within(drawer).findByRole('button', { name: 'History' }));
  expect(await within(drawer).findByText('Input: $0.50 → $0.25')).toBeTruthy();
  await user.click(within(drawer).getByRole('button', { name: 'Restore' }));
  expect(await screen.findByText('Previous price of gpt-5-mini restored')).toBeTruthy();
  expect(sent[0]?.body).toMatchObject({ locked: true, rates: { input: 250_000_000 } });
});

it('reports another user’s change of the price and keeps the entered values', async () => {
  let version = 5;
  script('get', '/api/prices/list', () => succeed(wirePage([{ ...mini, version }])));
  const sent = script('put', '/api/prices/single/gpt-5-mini', () => {
    version = 6;
    return changedMeanwhile();
  });
  const { user } = show(page, '/panel/pricing?show=edit&model=gpt-5-mini');
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit price' }));
  const input = await drawer.findByLabelText<HTMLInputElement>('Input');
  await user.clear(input);
  await user.type(input, '0.7');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Another user has just changed this/)).toBeTruthy();
  expect(input.value).toBe('0.7');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent.map(({ body }) => body)).toMatchObject([{ version: 5 }, { version: 5 }]);
});

it('unlocks a price and undoes that only for the version that it saved', async () => {
  const updates = script('put', '/api/prices/single/gpt-5-mini', () => succeed({ ...mini, version: 9 }));
  const { user } = show(page, '/panel/pricing');
  await screen.findByText('gpt-5-mini');
  await user.click(screen.getAllByRole('button', { name: 'More' })[0] ?? document.body);
  await user.click(await screen.findByRole('menuitem', { name: 'Unlock' }));
  await screen.findByText('gpt-5-mini unlocked');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(updates).toHaveLength(2));
  expect(updates.map(({ body }) => body)).toMatchObject([
    { locked: false, version: mini.version },
    { locked: true, version: 9 },
  ]);
});

it('calculates the cost of calls in a group', async () => {
  const { user } = show(page, '/panel/pricing?show=calculator&model=gpt-5-mini');
  const drawer = await screen.findByRole('dialog', { name: 'Cost calculator' });
  expect(await within(drawer).findByText('$1.25')).toBeTruthy();
  await user.click(within(drawer).getByRole('combobox', { name: 'Group' }));
  await user.click(await screen.findByRole('option', { name: 'VIP ×0.5' }));
  expect(await within(drawer).findByText('$0.63')).toBeTruthy();
});

it('accepts a tier for long prompts, a price of searches and a price of an image size', async () => {
  const updates = script('put', '/api/prices/single/gpt-5-mini', () => succeed(mini));
  const { user } = show(page, '/panel/pricing?show=edit&model=gpt-5-mini');
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit price' }));
  await user.click(await drawer.findByRole('button', { name: 'Long prompts' }));
  await user.click(drawer.getByRole('button', { name: 'Add tier' }));
  const tier = within(drawer.getByRole('group'));
  expect(tier.getByLabelText<HTMLInputElement>('When the prompt has more than').value).toBe('200000');
  await user.type(tier.getByLabelText('Input'), '0.5');
  await user.type(tier.getByLabelText('Output'), '4');
  await user.click(drawer.getByRole('button', { name: 'Tools, images, video and speech' }));
  await user.type(drawer.getByLabelText('Web search'), '10');
  await user.click(drawer.getByRole('button', { name: 'Add size' }));
  await user.type(drawer.getByLabelText('Size/quality'), '1024x1024/hd');
  await user.clear(drawer.getByLabelText('Price'));
  await user.type(drawer.getByLabelText('Price'), '0.08');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(updates).toHaveLength(1));
  expect(updates[0]?.body).toMatchObject({
    rates: { input: 125_000_000, webSearch: 5_000_000_000_000 },
    image_rates: { '1024x1024/hd': 40_000_000_000_000 },
    tiers: [{ above: 200_000, rates: { input: 250_000_000, output: 2_000_000_000, cachedRead: null } }],
  });
});

it('keeps tiers and sizes when a price is locked', async () => {
  const tiers = [{ above: 9, rates: { ...mini.rates, input: 7 } }];
  const stored = { ...mini, tiers, image_rates: { big: 3 } };
  script('get', '/api/prices/list', () => succeed(wirePage([stored])));
  const updates = script('put', '/api/prices/single/gpt-5-mini', () => succeed(stored));
  const { user } = show(page, '/panel/pricing');
  await screen.findByText('gpt-5-mini');
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Unlock' }));
  await waitFor(() => expect(updates).toHaveLength(1));
  expect(updates[0]?.body).toMatchObject({ image_rates: { big: 3 }, tiers: [{ above: 9 }] });
});

it('shows cost and charges of a price’s calls to users who may see analytics', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  const asked = script('get', '/api/analytics/margins', () =>
    succeed({ 'gpt-5-mini': { costed: 2_500_000, cost: 1_500_000 } }),
  );
  const { user } = show(page, '/panel/pricing');
  expect(await screen.findByText('$3.00 → $5.00 · 40%')).toBeTruthy();
  const other = (await screen.findByText('painter')).closest('tr');
  expect(within(other ?? document.body).getAllByText('–').length).toBeGreaterThan(0);
  await user.click(screen.getByText('gpt-5-mini'));
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByText('$3.00 → $5.00 · 40%')).toBeTruthy();
  expect(asked).toHaveLength(1);
});

it('hides margins from staff who may only set prices', async () => {
  script('get', '/api/user/self', () =>
    succeed({ ...wireSelfOf('staff'), rights: ['user', 'prices.read', 'prices.write'] }),
  );
  const asked = script('get', '/api/analytics/margins', () => succeed({}));
  show(page, '/panel/pricing');
  await screen.findByText('gpt-5-mini');
  expect(screen.queryByText('Cost → price')).toBeNull();
  expect(asked).toHaveLength(0);
});

it('offers an added owner with its picture', async () => {
  const picture = 'data:image/png;base64,iVBORw0KGgo=';
  script('get', '/api/model_ownedby', () =>
    succeed([
      { id: 1, name: 'OpenAI', icon: 'openai', built_in: true, prices: 1 },
      { id: 5001, name: 'Our lab', icon: picture, built_in: false, prices: 0 },
    ]),
  );
  const saved = script('put', '/api/prices/single/gpt-5-mini', () => succeed(mini));
  const { user } = show(page, '/panel/pricing?show=edit&model=gpt-5-mini');
  const drawer = within(await screen.findByRole('dialog'));
  await user.click(await drawer.findByLabelText('Owner'));
  const option = await screen.findByRole('option', { name: 'Our lab' });
  expect(option.querySelector('img')?.getAttribute('src')).toBe(picture);
  await user.click(option);
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(saved[0]?.body).toMatchObject({ channel_type: 5001 }));
});

it('offers no changes to read-only users', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['prices.read'])));
  show(page, '/panel/pricing?show=new');
  await screen.findByText('gpt-5-mini');
  expect(screen.queryByRole('button', { name: 'New price' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'More' })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('button', { name: 'Cost calculator' })).toBeTruthy();
});

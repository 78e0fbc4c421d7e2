import type { models } from '@switchyard/contract/catalog/models';
import {
  RATE_OF_USD_PER_MILLION,
  type Rates,
  rates as ratesSchema,
  type Tier,
} from '@switchyard/contract/catalog/price-rates';
import type { RouteResponse } from '@switchyard/contract/route';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { ModelsPage } from './models-page.tsx';
import { modelPaletteSource } from './queries.ts';

const page = <ModelsPage />;
type Model = RouteResponse<typeof models.available>[string];

const rates = (input: number, output: number, more: Partial<Rates> = {}): Rates =>
  ratesSchema.parse({ input, output, ...more });
const price = (model: string, type: 'tokens' | 'times', own: Rates, tiers: Tier[] = []) => ({
  model,
  type,
  channel_type: 1,
  input: 1,
  output: 1,
  rates: own,
  image_rates: {},
  tiers,
  version: 1,
  locked: false,
});
const usd = (amount: number) => amount * RATE_OF_USD_PER_MILLION;
const offered: Record<string, Model> = {
  'gpt-big': {
    groups: ['default', 'vip'],
    owned_by: 'OpenAI',
    context_length: 1_050_000,
    output_max: 128_000,
    input: ['text', 'image'],
    output: ['text'],
    capabilities: ['tools', 'json-schema'],
    released: '2026-03-05',
    retires: '2027-01-01',
    price: price('gpt-big', 'tokens', rates(usd(4), usd(20), { cachedRead: usd(1) }), [
      { above: 200_000, rates: rates(usd(8), usd(30)) },
    ]),
  },
  'gpt-small': {
    groups: ['default'],
    owned_by: 'OpenAI',
    price: price('gpt-small', 'tokens', rates(usd(10), usd(10))),
  },
  // 0.02 USD per call, in nano-points.
  painter: {
    groups: ['default'],
    owned_by: 'Stability AI',
    price: price('painter', 'times', rates(10_000_000_000_000, 0)),
  },
  // 0.006 USD per minute.
  listener: {
    groups: ['default'],
    owned_by: 'OpenAI',
    price: price('listener', 'tokens', rates(0, 0, { second: 50_000_000_000 })),
  },
  speaker: {
    groups: ['default'],
    owned_by: 'OpenAI',
    price: price('speaker', 'tokens', rates(0, 0, { character: usd(15) })),
  },
  unpriced: { groups: ['default'], owned_by: '', price: null },
};
const group = (symbol: string, name: string, ratio: number) => ({
  id: 1,
  symbol,
  name,
  ratio,
  api_rate: 0,
  order: 'weight',
  tpm: 0,
  promotion: false,
  min: 0,
  max: 0,
  public: true,
  enable: true,
});

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/available_model', () => succeed(offered));
  script('get', '/api/model_ownedby', () => succeed([]));
  script('get', '/api/user_group_map', () =>
    succeed({ default: group('default', 'Standard', 1), vip: group('vip', 'Friends', 0.5) }),
  );
});

const row = async (name: string) => {
  const cell = await screen.findByText(name);
  const line = cell.closest('tr');
  if (line === null) throw new Error(`no row of ${name}`);
  return line;
};

it('shows the price of a million tokens or of one call', async () => {
  show(page, '/panel/model_price');
  const big = await row('gpt-big');
  for (const text of ['$4.00', '$1.00', '$20.00']) expect(within(big).getByText(text)).toBeTruthy();
  expect(within(await row('painter')).getByText('$0.02 / call')).toBeTruthy();
  expect(within(await row('listener')).getByText('$0.006 / minute')).toBeTruthy();
  expect(within(await row('speaker')).getByText('$15.00 / 1M characters')).toBeTruthy();
  expect((await within(big).findByRole('link', { name: 'Try' })).getAttribute('href')).toBe(
    '/panel/playground?model=gpt-big',
  );
});

it('shows the group’s price beside the list price for the models that the group may call', async () => {
  show(page, '/panel/model_price?group=vip');
  const big = await row('gpt-big');
  await waitFor(() => expect(within(big).getByText('$2.00')).toBeTruthy());
  expect(within(big).getByText('$4.00').tagName).toBe('S');
  expect(screen.getByText('Prices for Friends (×0.5), in USD')).toBeTruthy();
  expect(screen.queryByText('gpt-small')).toBeNull();
});

it('shows prices in yuan at the site’s rate and in points', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, PaymentUSDRate: 7.3 }));
  const { user, search } = show(page, '/panel/model_price');
  await row('gpt-big');
  await user.click(screen.getByRole('button', { name: 'CNY' }));
  expect(await screen.findByText('Prices for Standard (×1), in CNY, 7.3 per dollar')).toBeTruthy();
  expect(within(await row('gpt-big')).getByText('¥29.2')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Points' }));
  await waitFor(() => expect(search()).toEqual({ unit: 'points' }));
  expect(within(await row('gpt-big')).getByText('2,000,000')).toBeTruthy();
});

it('shows a zero price as free and marks models that only other groups may call', async () => {
  script('get', '/api/available_model', () =>
    succeed({
      gift: { groups: ['default'], owned_by: '', price: price('gift', 'tokens', rates(0, 0)) },
      theirs: { groups: ['vip'], owned_by: '', price: price('theirs', 'tokens', rates(usd(4), usd(8))) },
    }),
  );
  show(page, '/panel/model_price');
  expect(within(await row('gift')).getAllByText('Free')).toHaveLength(3);
  const theirs = within(await row('theirs'));
  expect(await theirs.findByText('other groups only')).toBeTruthy();
  expect(theirs.queryByText('$8.00')).toBeNull();
});

it('filters models by capability and offers only capabilities that a model has', async () => {
  const { user, search } = show(page, '/panel/model_price');
  await row('gpt-big');
  await user.click(screen.getByRole('button', { name: 'Capabilities' }));
  expect(screen.queryByRole('menuitem', { name: 'video generation' })).toBeNull();
  await user.click(screen.getByRole('menuitem', { name: 'image input' }));
  await waitFor(() => expect(search()).toEqual({ can: 'reads-images' }));
  await waitFor(() => expect(screen.queryByText('painter')).toBeNull());
  expect(screen.getByText('gpt-big')).toBeTruthy();
});

it('searches by name and owner and sorts unknown prices last', async () => {
  const { user, search } = show(page, '/panel/model_price');
  await row('gpt-big');
  await user.click(screen.getByRole('button', { name: 'Input / 1M' }));
  await waitFor(() => expect(search()).toEqual({ order: 'input' }));
  const names = screen.getAllByRole('row').map((line) => line.textContent);
  expect(names.at(-1)).toContain('unpriced');
  await user.type(screen.getByRole('searchbox'), 'stability{Enter}');
  await waitFor(() => expect(screen.queryByText('gpt-big')).toBeNull());
  expect(screen.getByText('painter')).toBeTruthy();
});

it('shows visitors the list without the features that need an account', async () => {
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
  show(page, '/price');
  await row('gpt-big');
  expect(screen.queryByRole('link', { name: 'Try' })).toBeNull();
  expect(screen.getByText('Lowest price across groups, in USD')).toBeTruthy();
});

it('opens a model with the prices of every group', async () => {
  show(page, '/panel/model_price?open=gpt-big');
  const drawer = await screen.findByRole('dialog', { name: 'gpt-big' });
  expect(await within(drawer).findByRole('rowheader', { name: 'Friends ×0.5' })).toBeTruthy();
  expect(within(drawer).getByText('$10.00')).toBeTruthy();
  expect(within(drawer).getByRole('link', { name: 'Try in the playground' })).toBeTruthy();
});

it('shows a model’s metadata', async () => {
  show(page, '/panel/model_price?open=gpt-big');
  const drawer = await screen.findByRole('dialog', { name: 'gpt-big' });
  for (const text of ['1,050,000 tokens', '128,000 tokens', 'text, images', 'tools, structured output', 'Jan 1, 2027'])
    expect(await within(drawer).findByText(text)).toBeTruthy();
});

it('shows no metadata of an unknown model', async () => {
  show(page, '/panel/model_price?open=unpriced');
  const other = await screen.findByRole('dialog', { name: 'unpriced' });
  expect(await within(other).findByText('Owner')).toBeTruthy();
  expect(within(other).queryByText('Context')).toBeNull();
  expect(within(other).queryByText('Capabilities')).toBeNull();
});

it('finds a model from the command palette', async () => {
  expect(await modelPaletteSource.find('SMALL', new AbortController().signal)).toEqual([
    {
      id: 'model-gpt-small',
      title: 'gpt-small',
      detail: 'OpenAI',
      to: '/panel/model_price',
      search: { open: 'gpt-small' },
    },
  ]);
});

it('shows and searches a model’s custom name, description and owner’s picture', async () => {
  const picture = 'data:image/png;base64,iVBORw0KGgo=';
  script('get', '/api/model_ownedby', () =>
    succeed([{ id: 5001, name: 'Our lab', icon: picture, built_in: false, prices: 1 }]),
  );
  const described = {
    groups: ['default'],
    owned_by: 'Our lab',
    price: null,
    name: 'House model',
    description: 'For <b>short</b> answers',
    tags: ['house', 'quick'],
  };
  script('get', '/api/available_model', () => succeed({ ...offered, 'lab-1': described }));
  const { user } = show(page, '/panel/model_price');
  const own = await row('lab-1');
  expect(within(own).getByText('House model')).toBeTruthy();
  await waitFor(() => expect(own.querySelector('img')?.getAttribute('src')).toBe(picture));
  for (const words of ['house MODEL', 'short</b>', 'quick']) {
    const search = screen.getByRole('searchbox');
    await user.clear(search);
    await user.type(search, words);
    await waitFor(() => expect(screen.queryByText('gpt-small')).toBeNull());
    expect(screen.getByText('lab-1')).toBeTruthy();
  }
  await user.click(screen.getByText('lab-1'));
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByText('For <b>short</b> answers')).toBeTruthy();
  expect(drawer.getByText('house')).toBeTruthy();
});

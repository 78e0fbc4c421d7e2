/** Filters, sorting, pages and empty results of every list of the panel. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../apps/server/src/accounts/users/create-and-find-users.ts';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../apps/server/src/testing/payment-order.ts';
import { apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { createUserGroup, userGroups } from '../../packages/contract/src/accounts/user-groups.ts';
import { redemptionCodes } from '../../packages/contract/src/billing/redemption-codes.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import { sampleOf } from '../tier.ts';
import { expectChip, expectDefaultSort, expectEmpty, expectPages, expectSort } from './lists.ts';
import { type Panel, type PanelPage, startPanel } from './open-panel.ts';

const ROWS = 45;
/** Every short run tries others; the full run tries all of them. */
const LISTS_OF_A_DAY = 5;
const OPENAI = 1;
let panel: Panel;
let page: PanelPage;

beforeAll(async () => {
  panel = await startPanel();
  const { ctx, root } = panel;
  await root.api(profile).stepUp({ body: { password: root.password } });
  const bank = await insertPaymentProvider(ctx, 'Bank 00');
  for (let n = 1; n <= ROWS; n += 1) {
    const number = String(n).padStart(2, '0');
    const name = `row ${number}`;
    const models = [`model-${number}`];
    await root.api(apiKeys).create({ body: createApiKey.parse({ name }) });
    await root
      .api(channels)
      .create({ body: createChannel.parse({ name, type: OPENAI, models, key: 'sk-e2e', priority: n }) });
    await root
      .api(userGroups)
      .create({ body: createUserGroup.parse({ symbol: `g-${number}`, name, ratio: n, api_rate: 60 }) });
    await root.api(redemptionCodes).create({ body: { name, quota: toPoints(n), count: 1 } });
    await insertPaymentProvider(ctx, `Bank ${number}`);
    await insertPaymentOrder(ctx, { user_id: root.id, processor_id: bank, amount_usd: n });
    await createAccount(ctx, { username: `row-${number}`, role: 'user', group: 'default' });
    await insertUsageRecords(ctx, root.id, [{ model: `model-${number}`, quota: n, created_at: 1_700_000_000 + n }]);
  }
  await root
    .api(prices)
    .create({
      body: savePrice.parse({ model: 'dearest', rates: { input: 50_000_000_000_000, output: 50_000_000_000_000 } }),
    });
  page = await panel.open('/panel/dashboard');
});
afterAll(() => panel?.close());

interface List {
  path: string;
  /** A filter, one of its options, and its search parameter. */
  chip?: [chip: string, option: string, address: Record<string, string>];
  /** A column, its search parameter, and the first row in ascending and descending order. */
  sort: [column: string, id: string, up: RegExp, down: RegExp];
  /** Default sorting, newest or largest first. */
  usual?: [column: string, id: string];
  rows: string;
  nothing?: string;
}

const lists: List[] = [
  {
    path: 'token',
    chip: ['Status', 'Enabled', { status: 'enabled' }],
    sort: ['Name', 'name', /row 01/, /row 45/],
    rows: '45',
    nothing: 'No token matches these filters.',
  },
  {
    path: 'channel',
    chip: ['Provider', 'OpenAI', { type: '1' }],
    sort: ['Name', 'name', /row 01/, /row 45/],
    usual: ['Priority', 'priority'],
    rows: '45',
    nothing: 'No channel matches these filters.',
  },
  {
    path: 'user',
    chip: ['Role', 'User', { role: 'user' }],
    sort: ['Name', 'username', /\broot\b/, /row-45/],
    rows: '46',
    nothing: 'No user matches these filters.',
  },
  {
    path: 'user_group',
    chip: ['Status', 'Enabled', { status: 'enabled' }],
    sort: ['Price ratio', 'ratio', /×1/, /×45/],
    rows: '48',
    nothing: 'No group matches these filters.',
  },
  {
    path: 'model_price',
    chip: ['Owner', 'OpenAI', { owner: 'OpenAI' }],
    sort: ['Owner', 'owner', /model-/, /model-/],
    rows: '45',
    nothing: 'No model matches.',
  },
  {
    path: 'log',
    chip: ['Type', 'Call', { log_type: 'consume' }],
    sort: ['Model', 'model_name', /Top-up|Opening/, /model-45/],
    rows: '47',
    nothing: 'No record matches these filters.',
  },
  {
    path: 'pricing',
    chip: ['Billing', 'Call', { type: 'times' }],
    sort: ['Input', 'input', /^(?!.*dearest)/s, /dearest/],
    rows: '[\\d,]+',
    nothing: 'No price matches these filters.',
  },
  {
    path: 'payment',
    chip: ['Status', 'Paid', { status: 'success' }],
    sort: ['Top-up amount', 'amount', /\$1\.00/, /\$45\.00/],
    usual: ['Created', 'created_at'],
    rows: '45',
    nothing: 'No order matches these filters.',
  },
  {
    path: 'payment_gateway',
    chip: ['Type', 'Bank transfer', { type: 'manual' }],
    sort: ['Name', 'name', /Bank 00/, /Bank 45/],
    usual: ['Order', 'sort'],
    rows: '46',
    nothing: 'No payment provider matches these filters.',
  },
  { path: 'redemption', sort: ['Name', 'name', /row 01/, /row 45/], rows: '45' },
  {
    path: 'audit',
    chip: ['Area', 'Channels', { area: 'channel' }],
    sort: ['Time', 'created_at', /./, /./],
    usual: ['Time', 'created_at'],
    rows: '\\d+',
    nothing: 'No entry matches these filters.',
  },
];

test.each(sampleOf(lists, LISTS_OF_A_DAY))('the list $path is filtered, sorted, paged and searched', async (list) => {
  await page.goto(`${panel.url}/panel/${list.path}`);
  if (list.chip !== undefined) await expectChip(page, ...list.chip);
  if (list.sort[1] !== list.usual?.[1]) await expectSort(page, ...list.sort);
  if (list.usual !== undefined) await expectDefaultSort(page, ...list.usual);
  if (list.nothing !== undefined) await expectEmpty(page, list.nothing);
  await expectPages(page, list.rows);
  expect(page.complaints.list).toEqual([]);
});

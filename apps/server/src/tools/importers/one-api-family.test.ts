import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type SourceRows, writeSqliteSource } from '../../testing/source-database.ts';
import { ImportReport, type Installation, openSourceTables, type ProductName, readFamily } from './importers.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-family-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(product: ProductName, rows: SourceRows): Promise<{ read: Installation; told: string }> {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, product, rows);
  const report = new ImportReport();
  const tables = await openSourceTables(file);
  try {
    return { read: await readFamily(tables, product, report), told: report.lines().join('\n') };
  } finally {
    await tables.close();
  }
}

test('imports a token with an unreadable expiry as expired, and never without an expiry', async () => {
  const expired = async (expired_time: unknown) => {
    const { read: found } = await read('one-hub', {
      tokens: [{ id: 1, user_id: 1, status: 1, key: 'k'.repeat(48), expired_time }],
    });
    return found.keys[0]?.expiredTime;
  };
  expect(await expired(-1)).toBe(-1);
  expect(await expired('2020-01-01 00:00:00Z')).toBe(1_577_836_800);
  expect(await expired(1_600_000_000_000)).toBe(1_600_000_000);
  for (const unreadable of [null, 0, -2, 'some day']) expect(await expired(unreadable)).toBe(1);
});

test('reports unreadable values that it replaces', async () => {
  const users = [
    { id: 1, username: 'junk', quota: 'lost' },
    { id: 2, username: 'empty', quota: null },
  ];
  const table = await read('one-hub', { users, user_groups: [{ id: 1, symbol: 'odd', ratio: '0,85' }] });
  expect(table.told).toContain('user: the balance is not a number and is replaced by 0: 1\n');
  expect(table.told).toContain('group: the ratio is rounded or replaced by 1: odd (0,85)');
  const options = [
    { key: 'GroupRatio', value: '{"vip":0.5,' },
    { key: 'ModelRatio', value: '[1]' },
    { key: 'CompletionRatio', value: '' },
  ];
  const { told } = await read('new-api', { options });
  expect(told).toContain('group: the option cannot be read: GroupRatio');
  expect(told).toContain('price: the option cannot be read: ModelRatio\n');
});

test('reports rows that were deleted in the source', async () => {
  const users = [{ id: 7, username: 'gone', deleted_at: '2024-01-01 00:00:00' }];
  expect((await read('one-hub', { users })).told).toContain('user: skipped, because it was deleted in the source: 7');
});

const toOptions = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));

const limitedGroups = { GroupRatio: { default: 1, vip: 1 }, ModelRequestRateLimitEnabled: 'true' };

test.each<[string, Readonly<Record<string, unknown>>, object, string]>([
  ['none while they are off', { ModelRequestRateLimitEnabled: 'false' }, { default: 0, vip: 0, others: 0 }, ''],
  [
    'the built-in ones',
    {},
    { default: 1_000, vip: 1_000, others: 1_000 },
    'counts all requests here: all other groups (0 requests and 1000 successful ones in 1 min)',
  ],
  ['those of all requests', { ModelRequestRateLimitCount: '60' }, { default: 60, vip: 60, others: 60 }, ''],
  [
    'those of the groups',
    {
      ModelRequestRateLimitCount: '60',
      ModelRequestRateLimitGroup: { default: [200, 100], vip: [0, 5_000], extra: [30, 40] },
    },
    { default: 100, vip: 5_000, extra: 30, others: 60 },
    'default (200 requests and 100 successful ones in 1 min), vip (0 requests and 5000 successful ones in 1 min)\n',
  ],
  [
    'none for a group without a limit',
    { ModelRequestRateLimitCount: '60', ModelRequestRateLimitGroup: { vip: [0, 0] } },
    { default: 60, vip: 0, others: 60 },
    '',
  ],
  [
    'none that are not per minute',
    { ModelRequestRateLimitDurationMinutes: '5', ModelRequestRateLimitGroup: { vip: [10, 10] } },
    { default: 0, vip: 0, others: 0 },
    'set one by hand: vip (10 requests and 10 successful ones in 5 min), all other groups (0 requests and 1000',
  ],
])('groups of New API get the rate limits of the source: %s', async (_, values, expected, remark) => {
  const { read: found, told } = await read('new-api', { options: toOptions({ ...limitedGroups, ...values }) });
  const rates = Object.fromEntries(found.groups.map(({ symbol, apiRate }) => [symbol, apiRate]));
  expect({ ...rates, others: found.unknownGroupsRate }).toEqual(expected);
  if (remark === '') expect(told).not.toContain('group: ');
  else expect(told).toContain(remark);
});

test('names the ratios that members of one group have in another', async () => {
  const GroupGroupRatio = { vip: { default: 0.9, 'no group': 1 }, default: {} };
  const { told } = await read('new-api', { options: toOptions({ GroupGroupRatio }) });
  expect(told).toContain('set it on their tokens: vip in default (0.9), vip in no group (1)\n');
  const broken = { GroupGroupRatio: '[1]', ModelRequestRateLimitGroup: '{"vip":' };
  expect((await read('new-api', { options: toOptions(broken) })).told).toContain(
    'group: the option cannot be read: GroupGroupRatio, ModelRequestRateLimitGroup\n',
  );
});

const ratios = {
  ModelPrice: {},
  ModelRatio: { 'gpt-4o': 1.25, 'claude-sonnet-4-5-20250929': 1.5, 'own-model': 2 },
  CompletionRatio: { 'gpt-4o': 4, 'claude-sonnet-4-5-20250929': 5, 'own-model': 1 },
};

type CacheRates = readonly (number | undefined)[];
test.each<[ProductName, string, Readonly<Record<string, unknown>>, readonly CacheRates[], string]>([
  [
    'new-api',
    'built into its program',
    {},
    [
      [625_000_000, 1_562_500_000, 2_500_000_000],
      [150_000_000, 1_875_000_000, 3_000_000_000],
      [undefined, 2_500_000_000, 4_000_000_000],
    ],
    'check the cached input price: gpt-4o (× 0.5), claude-sonnet-4-5-20250929 (× 0.1), own-model (× 1)\n',
  ],
  [
    'new-api',
    'built into its program, because the saved one is unreadable',
    { CacheRatio: '{"gpt-4o":', CreateCacheRatio: ' ' },
    [
      [625_000_000, 1_562_500_000, 2_500_000_000],
      [150_000_000, 1_875_000_000, 3_000_000_000],
      [undefined, 2_500_000_000, 4_000_000_000],
    ],
    'check the cached input price: gpt-4o (× 0.5)',
  ],
  [
    'new-api',
    'saved, and 1 and 1.25 for other models',
    { CacheRatio: { 'gpt-4o': 0.25 }, CreateCacheRatio: { 'gpt-4o': 1 } },
    [
      [312_500_000, 1_250_000_000, 2_000_000_000],
      [undefined, 1_875_000_000, 3_000_000_000],
      [undefined, 2_500_000_000, 4_000_000_000],
    ],
    '',
  ],
  [
    'one-api',
    'absent, because it charges cached tokens as input',
    {},
    [
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ],
    '',
  ],
])('prices of %s have the cache ratios that are %s', async (product, _, values, expected, remark) => {
  const { read: found, told } = await read(product, { options: toOptions({ ...ratios, ...values }) });
  expect(found.prices.map(({ rates }) => [rates.cachedRead, rates.cacheWrite5m, rates.cacheWrite1h])).toEqual(expected);
  if (remark === '') expect(told).not.toContain('cache ratio');
  else expect(told).toContain(remark);
});

test.each<[Readonly<Record<string, unknown>>, object[], string[]]>([
  [
    {},
    [
      { imageInput: 5_000_000_000, audioInput: undefined, audioOutput: undefined },
      { imageInput: undefined, audioInput: 20_000_000_000, audioOutput: 20_000_000_000 },
    ],
    [
      'check the image price: gpt-image-1 (× 2)\n',
      'check the audio price: gpt-4o-realtime-preview (× 8)\n',
      'the option was never saved: its built-in prices are not imported: ModelPrice\n',
    ],
  ],
  [
    { ModelPrice: {}, ImageRatio: {}, AudioRatio: {}, AudioCompletionRatio: {} },
    [
      { imageInput: undefined, audioInput: undefined, audioOutput: undefined },
      { imageInput: undefined, audioInput: undefined, audioOutput: undefined },
    ],
    [],
  ],
])('prices of New API have built-in image and audio ratios until %j is saved', async (values, expected, remarks) => {
  const options = toOptions({
    ModelRatio: { 'gpt-image-1': 2.5, 'gpt-4o-realtime-preview': 2.5 },
    CompletionRatio: { 'gpt-image-1': 8, 'gpt-4o-realtime-preview': 4 },
    CacheRatio: {},
    ...values,
  });
  const { read: found, told } = await read('new-api', { options });
  expect(
    found.prices.map(({ rates: { imageInput, audioInput, audioOutput } }) => ({ imageInput, audioInput, audioOutput })),
  ).toEqual(expected);
  for (const remark of remarks) expect(told).toContain(remark);
  if (remarks.length === 0) expect(told).not.toContain('price: ');
});

test.each<[string, number | undefined, number, string]>([
  // Fixed in the program, regardless of stored values.
  ['o3-mini', 9, 4, '(× 4 instead of 9)'],
  ['o3-mini', undefined, 4, 'check the output price: o3-mini (× 4)\n'],
  ['gpt-5-mini', 2, 8, '(× 8 instead of 2)'],
  ['gpt-5.4-nano', 1, 6.25, '(× 6.25 instead of 1)'],
  ['claude-3-haiku', 5, 5, ''],
  ['anthropic/claude-sonnet-4', undefined, 5, '(× 5)'],
  // Saved for a name with a slash, and for families that are not fixed.
  ['anthropic/claude-sonnet-4', 3, 3, ''],
  ['gpt-5.5', 7, 7, ''],
  ['gpt-4o', 4.5, 4.5, ''],
  ['claude-3-all', 3, 3, ''],
  // Built in for the family.
  ['gpt-5.5', undefined, 6, '(× 6)'],
  ['gpt-3.5-turbo', undefined, 2, '(× 2)'],
  ['gpt-4o-gizmo-abc', undefined, 2, '(× 2)'],
  ['gemini-2.5-flash', undefined, 8.333333333, '(× 8.333333333333)'],
  ['gemini-2.5-flash-lite-thinking-*', undefined, 4, '(× 4)'],
  ['gemini-2.5-flash-preview-05-20-nothinking', undefined, 4, '(× 4)'],
  ['gemini-3-pro-image-preview', undefined, 60, '(× 60)'],
  ['command-a', undefined, 4, '(× 4)'],
  ['ERNIE-Speed-8K', undefined, 2, '(× 2)'],
  ['own-model', undefined, 1, '(× 1)'],
  // Built in for the model, but replaced by the saved option, which does not name it.
  ['gpt-image-1', undefined, 2, '(× 2)'],
])('output of New API’s %s with the saved completion ratio %s costs × %s', async (model, saved, ratio, remark) => {
  const CompletionRatio = { ...(saved === undefined ? {} : { [model]: saved }), another: 2 };
  const options = toOptions({ ModelPrice: {}, ModelRatio: { [model]: 1 }, CompletionRatio, CacheRatio: {} });
  const { read: found, told } = await read('new-api', { options });
  expect(found.prices[0]?.rates.output).toBe(Math.round(ratio * 1_000_000_000));
  if (remark === '') expect(told).not.toContain('completion ratio');
  else expect(told).toContain(remark);
});

test('completion ratios of single models are built in until New API saves the option', async () => {
  const options = toOptions({ ModelPrice: {}, ModelRatio: { 'gpt-image-1': 1 }, CacheRatio: {} });
  expect((await read('new-api', { options })).read.prices[0]?.rates.output).toBe(8_000_000_000);
});

test('skips and names models that New API charges by an expression, with or without a ratio', async () => {
  const options = toOptions({
    ModelPrice: { drawing: 0.1 },
    ModelRatio: { tiered: 1, plain: 1 },
    CompletionRatio: { tiered: 1, plain: 1 },
    CacheRatio: {},
    'billing_setting.billing_mode': {
      tiered: 'tiered_expr',
      drawing: 'tiered_expr',
      video: 'tiered_expr',
      plain: 'ratio',
    },
    'billing_setting.billing_expr': { tiered: 'tier("a", p * 1 + c * 2)' },
  });
  const { read: found, told } = await read('new-api', { options });
  expect(found.prices.map(({ model }) => model)).toEqual(['plain']);
  expect(told).toContain(
    'price: skipped, because it is a billing expression; set a price by hand: drawing, tiered, video\n',
  );
});

test('names the groups whose members pay another price for top-ups', async () => {
  const TopupGroupRatio = { default: 1, vip: 0.9, free: 0 };
  const { told } = await read('new-api', { options: toOptions({ TopupGroupRatio }) });
  expect(told).toContain('top-ups has a ratio, which is not imported: vip (0.9)\n');
  const broken = { TopupGroupRatio: '[1]', 'billing_setting.billing_mode': '{"a":' };
  const unreadable = (await read('new-api', { options: toOptions(broken) })).told;
  expect(unreadable).toContain('group: the option cannot be read: TopupGroupRatio\n');
  expect(unreadable).toContain('price: the option cannot be read: billing_setting.billing_mode\n');
});

test('takes the completion ratio of a model that One API has built in from the shipped price', async () => {
  const options = toOptions({ ModelPrice: {}, ModelRatio: { 'claude-sonnet-4-5-20250929': 1.5 }, CacheRatio: {} });
  const { read: found, told } = await read('one-api', { options });
  expect(found.prices[0]?.rates.output).toBe(7_500_000_000);
  expect(told).toContain('check the output price: claude-sonnet-4-5-20250929 (× 5)\n');
});

test.each<[string | undefined, number, boolean]>([
  [undefined, 50_000_000_000_000, false],
  ['500000', 50_000_000_000_000, false],
  ['1000000', 100_000_000_000_000, false],
  ['250000.5', 25_000_050_000_000, false],
  ['many', 50_000_000_000_000, true],
  ['0', 50_000_000_000_000, true],
  ['-1', 50_000_000_000_000, true],
])('a call is charged the points of the source at a QuotaPerUnit of %s', async (QuotaPerUnit, expected, isNamed) => {
  const values = {
    ModelPrice: { drawing: 0.1 },
    ModelRatio: { text: 1 },
    CompletionRatio: { text: 1 },
    ...(QuotaPerUnit === undefined ? {} : { QuotaPerUnit }),
  };
  const { read: found, told } = await read('new-api', { options: toOptions(values) });
  expect(found.prices.map(({ rates }) => rates.input)).toEqual([expected, 1_000_000_000]);
  expect(told.includes(`imported at 500000 points for a dollar: QuotaPerUnit (${QuotaPerUnit})`)).toBe(isNamed);
});

const USD = 500_000_000_000_000;
const EACH_REQUEST = 'a request costs the price once here';
test.each<[string, object, string]>([
  [
    'dall-e-3',
    {
      rates: { image: 0.04 * USD },
      imageRates: {
        '256x256': 0.016 * USD,
        '1024x1024': 0.04 * USD,
        '1792x1024': 0.08 * USD,
        '1792x1024/hd': 0.12 * USD,
      },
    },
    'imported as a price of one image, as the source charges it: dall-e-3\n',
  ],
  ['dall-e-2', { rates: { image: 0.04 * USD }, imageRates: { '512x512': 0.018 * USD } }, 'one image'],
  ['gpt-image-2', { rates: { image: 0.04 * USD }, imageRates: {} }, 'one image'],
  ['imagen-4.0-generate-001', { rates: { image: 0.04 * USD }, imageRates: {} }, 'one image'],
  [
    'sora-2-pro',
    { rates: { second: 0.04 * USD }, imageRates: { '1024x1792': 33_333_340_000_000 } },
    'imported as a price of one second, as the source charges it: sora-2-pro\n',
  ],
  // Models that may create several images, or videos of several seconds, in one request.
  ['veo-3.1-generate-preview', { type: 'times' }, `${EACH_REQUEST}, but the source multiplies it`],
  ['gemini-2.5-flash-image', { type: 'times' }, EACH_REQUEST],
  ['own-drawing', { type: 'times' }, EACH_REQUEST],
  ['gpt-4o', { type: 'times', rates: { input: 0.04 * USD } }, ''],
  ['text-embedding-3-small', { type: 'times' }, ''],
  ['mj_imagine', { type: 'times' }, ''],
  ['suno_music', { type: 'times' }, ''],
])('reports the converted price of a call for %s of New API', async (model, expected, remark) => {
  const options = toOptions({ ModelPrice: { [model]: 0.04 }, ModelRatio: {} });
  const { read: found, told } = await read('new-api', { options });
  expect(found.prices).toMatchObject([{ model, ...expected }]);
  if (remark === '') expect(told).not.toContain('price: ');
  else expect(told).toContain(remark);
});

test.each<[ProductName, unknown, bigint, string]>([
  ['new-api', 700, 1_700n, 'is added to the balance: alice (700 points)\n'],
  ['new-api', 0, 1_000n, ''],
  ['new-api', null, 1_000n, ''],
  ['new-api', -5, 1_000n, ''],
  // One Hub credits invitations to the balance itself.
  ['one-hub', 700, 1_000n, ''],
])('a user of %s with an invitation credit of %s gets the balance %s', async (product, aff_quota, balance, remark) => {
  const { read: found, told } = await read(product, { users: [{ id: 1, username: 'alice', quota: 1_000, aff_quota }] });
  expect(found.users[0]?.balance).toBe(balance);
  if (remark === '') expect(told).not.toContain('user: ');
  else expect(told).toContain(remark);
});

test('only groups that are named among the public ones are public', async () => {
  const options = [
    { key: 'GroupRatio', value: '{"constructor":0.5}' },
    { key: 'UserUsableGroups', value: '{"default":"Everybody"}' },
  ];
  const { groups } = (await read('new-api', { options })).read;
  expect(groups.map(({ symbol, isPublic }) => [symbol, isPublic])).toEqual([
    ['constructor', false],
    ['default', true],
  ]);
});

test('an order’s amount is counted in the smallest coin that its currency has', async () => {
  const orders = ['CNY', 'JPY', 'XXX'].map((order_currency, at) => ({
    id: at + 1,
    order_currency,
    order_amount: '1000.5',
  }));
  const found = (await read('one-hub', { orders })).read.orders;
  expect(found.map(({ orderAmount }) => orderAmount)).toEqual([100_050n, 1_001n, 100_050n]);
});

test('a channel’s texts are read in any encoding', async () => {
  const bytes = Uint8Array.of(0xc7, 0xfe, 0xb5, 0xc0);
  const { channels } = (await read('one-hub', { channels: [{ id: 1, name: bytes, key: 'a\r\nb\u0000' }] })).read;
  expect(channels[0]?.row).toMatchObject({ name: '渠道', key: 'a\nb' });
});

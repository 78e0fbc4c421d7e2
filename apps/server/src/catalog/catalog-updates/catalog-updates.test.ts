import { createServer } from 'node:http';
import { catalogue } from '@switchyard/contract/catalog/catalog-updates';
import { models } from '@switchyard/contract/catalog/models';
import { RATE_OF_USD_PER_MILLION, rates as ratesSchema } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { modelRoutes } from '../models/routes.ts';
import { addShippedPrices } from '../prices/prices.ts';
import { priceRoutes } from '../prices/routes.ts';
import { readCatalogueNotices, refreshCatalogue } from './catalog-updates.ts';
import { catalogueRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(catalogue, catalogueRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(models, modelRoutes),
  serveRoutes(prices, priceRoutes),
]);
await addShippedPrices(app.ctx);
const admin = await app.createUser('admin');
const api = admin.api(catalogue);
const priceApi = admin.api(prices);

let served = '';
let status = 200;
const server = createServer((_request, response) => response.writeHead(status).end(served));
const url = `http://127.0.0.1:${await listen(server)}/list.json`;
afterAll(() => void server.close());

const usd = (input: number, output: number) =>
  ratesSchema.parse({ input: input * RATE_OF_USD_PER_MILLION, output: output * RATE_OF_USD_PER_MILLION });
const usdOf = (amounts: Record<string, number>) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * RATE_OF_USD_PER_MILLION]));
const own = (...entries: object[]) => ({ from: 'text', text: JSON.stringify({ prices: entries }) }) as const;
const priceOf = async (model: string) => (await priceApi.all()).find((price) => price.model === model);
const save = (model: string, input: number, locked = false) =>
  priceApi.create({ body: { model, rates: usd(input, 1), locked } });
const compare = async (source: Parameters<typeof api.compare>[0]['body']) => {
  const compared = await api.compare({ body: source });
  const line = (model: string) => compared.lines.find((known) => known.model === model);
  return {
    ...compared,
    line,
    pick: (...names: string[]) => names.map((model) => ({ model, version: line(model)?.version ?? 0 })),
  };
};

test('the shipped list changes nothing on a fresh installation', async () => {
  const { lines, problems, entries } = await compare({ from: 'shipped' });
  expect(entries).toBeGreaterThan(1000);
  expect({ lines, problems }).toEqual({ lines: [], problems: [] });
});

test('comparing changes nothing, and reports each change field by field with the old and new values', async () => {
  await save('diff-old', 1);
  const before = await priceOf('diff-old');
  const { line } = await compare(
    own({ model: 'diff-old', rates: usd(2, 1) }, { model: 'diff-new', owner: 'openai', rates: usd(3, 4) }),
  );
  expect(line('diff-old')).toMatchObject({ kind: 'changed', locked: false, extreme: false });
  expect(line('diff-old')?.changes).toEqual([
    { field: 'rates.input', before: RATE_OF_USD_PER_MILLION, after: 2 * RATE_OF_USD_PER_MILLION },
  ]);
  expect(line('diff-new')).toMatchObject({ kind: 'added', version: 0 });
  expect(line('diff-new')?.changes).toContainEqual({ field: 'owner', before: null, after: 'OpenAI' });
  expect(line('gpt-4o')).toMatchObject({ kind: 'gone' });
  expect(await priceOf('diff-old')).toEqual(before);
});

test('applies the chosen lines only, each with a new version; the rest stays', async () => {
  const first = await save('apply-old', 1);
  await save('apply-left', 1);
  const { id, pick } = await compare(
    own(
      { model: 'apply-old', rates: usd(2, 1) },
      { model: 'apply-left', rates: usd(9, 1) },
      { model: 'apply-new', rates: usd(3, 4) },
    ),
  );
  const counts = await api.apply({ params: { id }, body: { mode: 'update', lines: pick('apply-old', 'apply-new') } });
  expect(counts).toEqual({ added: 1, changed: 1, removed: 0 });
  expect((await priceOf('apply-old'))?.rates).toEqual(usd(2, 1));
  expect((await priceOf('apply-left'))?.rates).toEqual(usd(1, 1));
  expect(await priceOf('apply-new')).toMatchObject({ locked: false, rates: usd(3, 4) });
  const versions = await priceApi.versions({ params: { model: 'apply-old' } });
  expect(versions.map(({ rates }) => rates)).toEqual([usd(2, 1), usd(1, 1)]);
  expect(versions[1]?.version).toBe(first.version);
  const again = api.apply({ params: { id }, body: { mode: 'update', lines: pick('apply-left') } });
  await expect(again).rejects.toMatchObject({ code: 'not-found' });
});

test.each([
  ['add', 'mode-changed'],
  ['add', 'mode-gone'],
  ['update', 'mode-gone'],
] as const)('%s leaves %s alone', async (mode, model) => {
  if ((await priceOf(model)) === undefined) await save(model, 1);
  const { id, pick } = await compare(own({ model: 'mode-changed', rates: usd(2, 1) }));
  const applied = api.apply({ params: { id }, body: { mode, lines: pick(model) } });
  await expect(applied).rejects.toMatchObject({ fields: [{ path: 'mode', rule: 'not-in-mode' }] });
  expect((await priceOf(model))?.rates).toEqual(usd(1, 1));
});

test('overwrite deletes what the list lacks, if this was chosen', async () => {
  await save('over-gone', 1);
  await save('over-kept', 1);
  const { id, pick } = await compare(own({ model: 'over-any', rates: usd(1, 1) }));
  const body = { mode: 'overwrite', lines: pick('over-gone'), confirmed: true } as const;
  expect(await api.apply({ params: { id }, body })).toEqual({ added: 0, changed: 0, removed: 1 });
  expect(await priceOf('over-gone')).toBeUndefined();
  expect(await priceOf('over-kept')).toBeDefined();
});

test.each([
  ['models.dev', { openai: { models: { kept: { cost: { input: 2 } } } } }],
  ['litellm', { kept: { litellm_provider: 'nobody', input_cost_per_token: 2e-6 } }],
  ['ratios', [{ model: 'kept', type: 'tokens', channel_type: 0, input: 1, output: 0.5 }]],
  ['switchyard', { prices: [{ model: 'kept', rates: usdOf({ input: 2, output: 1 }) }] }],
])(
  'a list of the form %s blanks nothing that it says nothing of, and removes no model that it lacks',
  async (format, list) => {
    await priceApi.removeMany({ body: { models: ['kept'] } });
    const kept = {
      model: 'kept',
      channel_type: 14,
      rates: { ...usd(1, 1), cachedRead: 7, webSearch: 8 },
      image_rates: { '1024x1024': 9 },
      tiers: [{ above: 1000, rates: usd(3, 3) }],
      locked: false,
    };
    await priceApi.create({ body: kept });
    const { id, lines, line, format: read } = await compare({ from: 'text', text: JSON.stringify(list) });
    expect(read).toBe(format);
    expect(
      line('kept')
        ?.changes.map(({ field }) => field)
        .filter((field) => field !== 'owner'),
    ).toEqual(['rates.input']);
    if (format !== 'switchyard') expect(lines.filter(({ kind }) => kind === 'gone')).toEqual([]);
    const before = await priceApi.all();
    const all = lines.filter(({ kind, locked }) => kind !== 'gone' && !locked);
    await api.apply({ params: { id }, body: { mode: 'update', lines: all, confirmed: true } });
    expect((await priceApi.all()).length).toBe(before.length);
    expect(await priceOf('kept')).toMatchObject({
      ...kept,
      channel_type: expect.any(Number),
      tiers: [expect.objectContaining({ above: 1000 })],
      rates: { ...kept.rates, ...usdOf({ input: 2 }) },
    });
    expect((await priceOf('kept'))?.channel_type).not.toBe(0);
  },
);

/** Gemini's rates of a search and of a query of Google Maps, before its third generation. */
const geminiTools = { webSearch: 17_500_000_000_000, mapsGrounding: 12_500_000_000_000 };
const openaiTools = { webSearch: 5_000_000_000_000, fileSearch: 1_250_000_000_000 };

test.each<[format: string, of: string, model: string, kept: object, list: (model: string) => unknown]>([
  [
    'models.dev',
    'the price of its family',
    'gemini-2.0-flash-091',
    geminiTools,
    (model) => ({ google: { models: { [model]: { cost: { input: 2, output: 4 } } } } }),
  ],
  [
    'litellm',
    'the price of its family',
    'gemini-2.0-flash-092',
    geminiTools,
    (model) => ({ [model]: { litellm_provider: 'x', input_cost_per_token: 2e-6, output_cost_per_token: 4e-6 } }),
  ],
  [
    'ratios',
    'the shipped price',
    'my-host/gpt-4.1',
    openaiTools,
    (model) => [{ model, type: 'tokens', channel_type: 0, input: 1, output: 2 }],
  ],
  [
    'new-api',
    'the shipped price',
    'other-host/gpt-4.1',
    openaiTools,
    (model) => ({ data: [{ model_name: model, quota_type: 0, model_ratio: 1, completion_ratio: 2 }] }),
  ],
])('a new model of a %s list keeps the rates of vendor tools of %s', async (form, _of, model, kept, list) => {
  const { id, format, pick } = await compare({ from: 'text', text: JSON.stringify(list(model)) });
  expect(format).toBe(form);
  await api.apply({ params: { id }, body: { mode: 'add', lines: pick(model), confirmed: true } });
  expect((await priceOf(model))?.rates).toMatchObject({ ...usdOf({ input: 2, output: 4 }), ...kept });
});

test('asks twice before a new model becomes free except for its searches', async () => {
  const model = 'third-host/gpt-4.1';
  const { line } = await compare(own({ model, rates: usdOf({ input: 0, output: 0 }) }));
  expect(line(model)?.extreme).toBe(true);
});

test('a null rate and empty tiers in a list remove the present ones', async () => {
  await priceApi.removeMany({ body: { models: ['denied'] } });
  await priceApi.create({
    body: {
      model: 'denied',
      rates: { ...usd(1, 1), cachedRead: 7 },
      tiers: [{ above: 9, rates: usd(3, 3) }],
      locked: false,
    },
  });
  const { id, pick } = await compare(
    own({ model: 'denied', rates: { ...usdOf({ input: 1, output: 1 }), cachedRead: null }, tiers: [] }),
  );
  await api.apply({ params: { id }, body: { mode: 'update', lines: pick('denied'), confirmed: true } });
  expect(await priceOf('denied')).toMatchObject({ rates: { cachedRead: null }, tiers: [] });
});

test('a locked model is in the comparison and cannot be applied, also one without a price', async () => {
  await save('locked-price', 1, true);
  await api.lock({ body: { model: 'locked-facts', locked: true } });
  const text = JSON.stringify({
    prices: [{ model: 'locked-price', rates: usd(2, 1) }],
    models: [{ model: 'locked-facts', context_length: 5 }],
  });
  const { id, line, pick } = await compare({ from: 'text', text });
  for (const model of ['locked-price', 'locked-facts']) {
    expect(line(model)?.locked).toBe(true);
    const applied = api.apply({ params: { id }, body: { mode: 'overwrite', lines: pick(model) } });
    await expect(applied).rejects.toMatchObject({ code: 'conflict' });
  }
  await api.lock({ body: { model: 'locked-price', locked: false } });
  const { lines } = await api.get({ params: { id } });
  const unlocked = lines.flatMap(({ model, version }) => (model === 'locked-price' ? [{ model, version }] : []));
  await api.apply({ params: { id }, body: { mode: 'update', lines: unlocked } });
  expect((await priceOf('locked-price'))?.rates).toEqual(usd(2, 1));
});

test('an editor that was opened before a lock does not remove the lock', async () => {
  const { model, version } = await save('lock-seen', 1);
  await api.lock({ body: { model, locked: true } });
  const edited = priceApi.update({ params: { model }, body: { model, rates: usd(2, 1), locked: false, version } });
  await expect(edited).rejects.toMatchObject({ code: 'conflict' });
  expect(await priceOf(model)).toMatchObject({ locked: true, rates: usd(1, 1) });
});

test('a price that was changed after the comparison is not overwritten, and nothing else of that call is applied', async () => {
  await save('race', 1);
  const { id, pick } = await compare(own({ model: 'race', rates: usd(2, 1) }, { model: 'race-new', rates: usd(2, 1) }));
  const lines = pick('race-new', 'race');
  await priceApi.update({ params: { model: 'race' }, body: { model: 'race', rates: usd(5, 1), locked: false } });
  const applied = api.apply({ params: { id }, body: { mode: 'update', lines } });
  await expect(applied).rejects.toMatchObject({ code: 'conflict' });
  expect((await priceOf('race'))?.rates).toEqual(usd(5, 1));
  expect(await priceOf('race-new')).toBeUndefined();
});

test.each([
  ['a thousand times the present price', usd(1000, 1)],
  ['a thousandth of it', usd(0.001, 1)],
  ['free', usd(0, 1)],
  ['absurd', usd(1, 10_001)],
])('%s asks twice', async (_what, rates) => {
  const model = 'extreme';
  await priceApi.removeMany({ body: { models: [model] } });
  await save(model, 1);
  const { id, line, pick } = await compare(own({ model, rates }));
  expect(line(model)?.extreme).toBe(true);
  const body = { mode: 'update', lines: pick(model) } as const;
  await expect(api.apply({ params: { id }, body })).rejects.toMatchObject({
    fields: [{ path: 'confirmed', rule: 'extreme' }],
  });
  expect((await priceOf(model))?.rates).toEqual(usd(1, 1));
  await api.apply({ params: { id }, body: { ...body, confirmed: true } });
  expect((await priceOf(model))?.rates).toEqual(rates);
});

test.each([
  ['a new model for nothing', undefined, usd(0, 0)],
  ['a unit that loses its rate', { ...usd(1, 1), second: 5 }, usd(1, 1)],
  ['one kind of tokens for nothing', usd(1, 1), { ...usd(1, 1), reasoning: 0 }],
])('%s asks twice', async (_what, before, after) => {
  const model = 'for-nothing';
  await priceApi.removeMany({ body: { models: [model] } });
  if (before !== undefined) await priceApi.create({ body: { model, rates: before } });
  const { line } = await compare(own({ model, rates: after }));
  expect(line(model)?.extreme).toBe(true);
});

test('approved metadata of a model apply at once, and are not replaced by the shipped list', async () => {
  const text = JSON.stringify({ models: [{ model: 'gpt-4o', retires: '2030-01-01', successor: 'gpt-5' }] });
  const { id, line, pick } = await compare({ from: 'text', text });
  expect(line('gpt-4o')).toMatchObject({ kind: 'changed' });
  expect(line('gpt-4o')?.changes).toContainEqual({ field: 'retires', before: '2027-01-14', after: '2030-01-01' });
  await api.apply({ params: { id }, body: { mode: 'update', lines: pick('gpt-4o') } });
  await admin
    .api(channels)
    .create({
      body: { name: 'c', type: 8, base_url: 'http://127.0.0.1:9', key: 'sk-any-key-000000', models: ['gpt-4o'] },
    });
  expect((await app.anonymous.api(models).available())['gpt-4o']).toMatchObject({
    retires: '2030-01-01',
    successor: 'gpt-5',
    context_length: 128_000,
  });
  const shipped = await compare({ from: 'shipped' });
  expect(shipped.line('gpt-4o')?.changes).toContainEqual({
    field: 'retires',
    before: '2030-01-01',
    after: '2027-01-14',
  });
});

test('reads a list from an address, and reports each error at its field', async () => {
  served = JSON.stringify({ prices: [{ model: 'by-url', rates: usd(1, 1) }] });
  const compared = await compare({ from: 'url', url: `${url}?token=a-secret` });
  expect(compared.line('by-url')?.kind).toBe('added');
  expect(compared.source).toBe(url);
  status = 404;
  const refusal = { fields: [{ path: 'url', rule: 'no-answer' }] };
  await expect(api.compare({ body: { from: 'url', url } })).rejects.toMatchObject(refusal);
  status = 200;
  served = `"${'x'.repeat(8 * 1024 * 1024)}"`;
  await expect(api.compare({ body: { from: 'url', url } })).rejects.toMatchObject({
    fields: [{ path: 'url', rule: 'list-too-long' }],
  });
  served = '<html>';
  await expect(api.compare({ body: { from: 'url', url } })).rejects.toMatchObject({
    fields: [{ path: 'url', rule: 'bad-json' }],
  });
});

test.each(['http://list.example/a.json', 'ftp://list.example/', 'file:///etc/passwd'])(
  'no list is read at %s',
  async (address) => {
    const body = { from: 'url', url: address };
    const answer = await admin.fetch('/api/catalogue/compare', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
  },
);

test.each(['https://127.0.0.2/', 'https://169.254.169.254/latest', 'https://[::1]/'])(
  'addresses inside stay unread: %s',
  async (address) => {
    const pending = api.compare({ body: { from: 'url', url: address } });
    await expect(pending).rejects.toMatchObject({ fields: [{ path: 'url', rule: 'address-not-allowed' }] });
  },
);

test('the schedule reports changes without applying them; a dismissed list is not reported until it changes', async () => {
  const pending = async () => (await api.notices()).pending;
  served = JSON.stringify({ prices: [{ model: 'by-schedule', rates: usd(1, 1) }] });
  await refreshCatalogue(app.ctx);
  expect(await pending()).toBeNull();
  await setOptions(app.ctx, { CatalogueURL: url, CatalogueRefreshHours: '1' });
  await refreshCatalogue(app.ctx);
  const first = await pending();
  expect(first).toMatchObject({ changes: 1 });
  expect(await priceOf('by-schedule')).toBeUndefined();
  const id = first?.id ?? 0;
  expect((await api.get({ params: { id } })).lines.map(({ model }) => model)).toContain('by-schedule');
  await api.dismiss({ params: { id } });
  expect(await pending()).toBeNull();
  await app.ctx.db.writer.updateTable('catalogue_fetch').set({ tried_time: 1 }).execute();
  await refreshCatalogue(app.ctx);
  expect(await pending()).toBeNull();
  served = JSON.stringify({ prices: [{ model: 'by-schedule', rates: usd(2, 1) }] });
  await refreshCatalogue(app.ctx);
  expect(await pending()).toBeNull();
  await app.ctx.db.writer.updateTable('catalogue_fetch').set({ tried_time: 1 }).execute();
  await refreshCatalogue(app.ctx);
  expect(await pending()).toMatchObject({ changes: 1 });
});

test('a failed scheduled fetch is reported, and retried with increasing delays up to the schedule’s interval', async () => {
  let reads = 0;
  server.prependListener('request', () => void (reads += 1));
  const start = nowSeconds(app.ctx.clock);
  const refreshAt = async (hours: number) => {
    app.clock.set((start + hours * 3_600) * 1000);
    reads = 0;
    await refreshCatalogue(app.ctx);
    return reads;
  };
  await setOptions(app.ctx, { CatalogueURL: `${url}?of=failing`, CatalogueRefreshHours: '5' });
  expect((await readCatalogueNotices(app.ctx)).refresh).toBeNull();
  status = 500;
  const tries: number[] = [];
  for (let hour = 0; hour <= 17; hour += 1) if ((await refreshAt(hour)) > 0) tries.push(hour);
  expect(tries).toEqual([0, 1, 3, 7, 12, 17]);
  expect((await readCatalogueNotices(app.ctx)).refresh).toEqual({
    address: url,
    tried_time: start + 17 * 3_600,
    read_time: 0,
    next_time: start + 22 * 3_600,
    problem: 'no-answer',
  });
  status = 200;
  served = '<html>';
  await refreshAt(22);
  expect((await readCatalogueNotices(app.ctx)).refresh).toMatchObject({ problem: 'bad-json', read_time: 0 });
  served = JSON.stringify({ prices: [{ model: 'by-schedule', rates: usd(1, 1) }] });
  await refreshAt(27);
  const read = { problem: null, read_time: start + 27 * 3_600, next_time: start + 32 * 3_600 };
  expect((await readCatalogueNotices(app.ctx)).refresh).toMatchObject(read);
});

test('an address that differs in its query only is another address', async () => {
  const requests: string[] = [];
  server.prependListener('request', ({ url: path = '' }) => void requests.push(path));
  for (const list of ['one', 'two', 'two']) {
    await setOptions(app.ctx, { CatalogueURL: `${url}?of=${list}`, CatalogueRefreshHours: '5' });
    await refreshCatalogue(app.ctx);
  }
  expect(requests).toEqual(['/list.json?of=one', '/list.json?of=two']);
  const stored = await app.ctx.db.writer.selectFrom('catalogue_fetch').selectAll().execute();
  expect(JSON.stringify(stored)).not.toContain('of=');
});

import { generateKeyPairSync } from 'node:crypto';
import { type Permission, permissionNames } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { beforeAll, expect, test } from 'vitest';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { orderRoutes } from '../orders/routes.ts';
import { updatePaymentProvider } from './payment-providers.ts';
import { paymentProviderRoutes } from './routes.ts';

const KEY = 'a-long-key-of-the-merchant-4711';
const app = await useFeatureApp([
  serveRoutes(orders, orderRoutes),
  serveRoutes(paymentProviders, paymentProviderRoutes),
  serveRoutes(profile, profileRoutes),
]);
const root = await app.createUser('root');
const api = root.api(paymentProviders);
const epay = {
  type: 'epay',
  name: 'Epay',
  currency: 'CNY',
  config: { pay_domain: 'https://pay.example', partner_id: '7', key: KEY },
} as const;
const manual = { type: 'manual', name: 'Bank', currency: 'USD', config: { instructions: 'Pay' } } as const;

beforeAll(async () => {
  await root.api(profile).stepUp({ body: { password: root.password } });
  await setOptions(app.ctx, { ServerAddress: 'https://ai.example' });
});

test('secrets go in, stay when they are left out, and come out as hints only', async () => {
  const created = await api.create({ body: epay });
  expect(created.secrets).toEqual({ key: '4711' });
  expect(created.config).toEqual({ pay_domain: 'https://pay.example', partner_id: '7' });
  expect(created.notify_url).toBe(`https://ai.example/api/payment/notify/${created.uuid}`);
  const config = { partner_id: '8', key: '' };
  const changed = await api.update({ body: { id: created.id, config } });
  expect(changed).toMatchObject({ config: { partner_id: '8' }, secrets: { key: '4711' } });
  const row = await app.ctx.db.writer.selectFrom('processor').selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row) + JSON.stringify(changed)).not.toContain(KEY);
  await api.remove({ params: { id: created.id } });
});

test.each([
  ['a key that is too short', { ...epay, config: { ...epay.config, key: 'short' } }, 'config.key'],
  ['a field that its type does not have', { ...epay, config: { ...epay.config, mch_id: '1' } }, 'config.mch_id'],
  ['no address', { ...epay, config: { key: KEY, partner_id: '7' } }, 'config.pay_domain'],
  ['another currency', { ...epay, currency: 'EUR', exchange_rate: 900_000 }, 'currency'],
  ['a currency without a rate', { ...manual, currency: 'JPY' }, 'exchange_rate'],
  ['a test system that does not exist', { ...epay, sandbox: true }, 'sandbox'],
] as const)('refuses %s, and names the field', async (_what, body, path) => {
  await expect(api.create({ body })).rejects.toMatchObject({ code: 'invalid-input', fields: [{ path }] });
  expect((await api.list()).total_count).toBe(0);
});

test('lists gateways with larger numbers first, for staff and for buyers; a disabled one is not offered', async () => {
  for (const [name, sort, enable] of [
    ['Second', 1, true],
    ['First', 2, true],
    ['Off', 3, false],
  ] as const)
    await api.create({ body: { ...manual, name, sort, enable } });
  expect((await api.list()).data.map(({ name }) => name)).toEqual(['Off', 'First', 'Second']);
  const buyer = await app.createUser('user');
  expect((await buyer.api(orders).offers()).map(({ name }) => name)).toEqual(['First', 'Second']);
  expect((await api.list({ query: { name: 'Sec', type: 'manual' } })).total_count).toBe(1);
});

async function staffWith(permissions: Permission[]): Promise<SignedInUser> {
  const member = await app.createUser('staff');
  const { writer } = app.ctx.db;
  const { id } = await writer
    .insertInto('staff_role')
    .values({ name: `Role of ${member.id}`, permissions: JSON.stringify(permissions) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writer.updateTable('user').set({ staff_role_id: id }).where('id', '=', member.id).execute();
  return member;
}

test('offers a test mode only to accounts that may change payment providers, because it credits points', async () => {
  const { uuid } = await api.create({
    body: {
      type: 'alipay',
      name: 'Test',
      currency: 'CNY',
      sandbox: true,
      config: { ...sandboxKeys(), app_id: '2021000000000000', pay_type: 'pagepay' },
    },
  });
  const others = permissionNames.filter((name) => name !== 'processors.write');
  const allowed = [await staffWith(['processors.write']), await app.createUser('admin'), root];
  const refused = [await app.createUser('user'), await staffWith([]), await staffWith(others)];
  const offered = async (who: SignedInUser) => (await who.api(orders).offers()).map((offer) => offer.uuid);
  for (const buyer of allowed) expect(await offered(buyer)).toContain(uuid);
  for (const buyer of refused) {
    expect(await offered(buyer)).not.toContain(uuid);
    await expect(buyer.api(orders).create({ body: { uuid, amount: 5 } })).rejects.toMatchObject({ code: 'not-found' });
  }
});

test('two concurrent changes of a payment provider are kept, or refused with a conflict', async () => {
  const { id } = await api.create({ body: { ...manual, name: 'Before' } });
  let conflicts = 0;
  // On PostgreSQL, one may have ended before the other has its connection.
  for (let round = 0; round < 20; round += 1) {
    const before = await api.get({ params: { id } });
    const changes = [{ enable: !before.enable }, { name: `After ${round}` }];
    const results = await Promise.allSettled(
      changes.map((change) => updatePaymentProvider(app.ctx, { id, ...change })),
    );
    const kept = changes.filter((_change, at) => results[at]?.status === 'fulfilled');
    const refused = results.filter((result) => result.status === 'rejected');
    expect(kept.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'conflict' });
    expect(await api.get({ params: { id } })).toMatchObject(Object.assign({ ...before }, ...kept));
    conflicts += refused.length;
  }
  expect(conflicts).toBeGreaterThan(0);
});

/** The app's own key, and that of the company. */
function sandboxKeys(): { private_key: string; public_key: string } {
  const pair = () =>
    generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
  return { private_key: pair().privateKey, public_key: pair().publicKey };
}

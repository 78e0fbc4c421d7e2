import type { Right } from '@switchyard/contract/accounts/permissions';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { afterAll, expect, test } from 'vitest';
import type { Caller } from '../../platform/http/caller.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { startMoneyScene } from '../../testing/payment-server-scene.ts';
import { createOrder } from '../orders/create-order.ts';
import { updatePaymentProvider } from './payment-providers.ts';

const scene = await startMoneyScene('epay');
afterAll(() => scene.close());
const { vendor, gateway, root } = scene;

const change = (config: Record<string, string>) =>
  root.api(paymentProviders).update({ body: { id: gateway.id, config } });

test('a stored secret goes to no other address', async () => {
  await expect(change({ pay_domain: 'https://elsewhere.example' })).rejects.toMatchObject({
    code: 'invalid-input',
    fields: [{ path: 'config.key', rule: 'needed-again' }],
  });
  const samePlace = `${vendor.config['pay_domain']}/`;
  expect((await change({ pay_domain: samePlace })).config['pay_domain']).toBe(samePlace);
  await change({ pay_domain: 'https://elsewhere.example', key: 'k'.repeat(32) });
  await change(vendor.config);
});

test('a gateway moves to no other account while orders of it are open', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  await expect(change({ partner_id: '99' })).rejects.toMatchObject({ code: 'conflict' });
  await change({ pay_type: 'alipay' });
  await buyer.api(orders).closeOwn({ params: { trade_no: order.trade_no } });
  expect((await change({ partner_id: '99' })).config['partner_id']).toBe('99');
});

const callAs = ({ id, username }: SignedInUser) => {
  const caller: Caller = {
    userId: id,
    username,
    role: 'user',
    rights: new Set<Right>(['user']),
    readOnly: false,
    groupSymbol: 'default',
    sessionIdHash: undefined,
    accessTokenId: 1,
    steppedUp: false,
    lacksSecondFactor: false,
    secondFactorNeededFrom: undefined,
    impersonator: undefined,
  };
  return { caller, requestId: newRequestId(), address: '127.0.0.1', idempotencyKey: undefined };
};

test('an order created during a change of the account is paid at the account that the gateway keeps', async () => {
  const buyer = await scene.createUser('user');
  for (let lead = 0; lead < 60; lead += 1) {
    const moved = updatePaymentProvider(scene.ctx, { id: gateway.id, config: { partner_id: `at-${lead}` } });
    // The order begins at each moment of the change.
    for (let turn = 0; turn < lead; turn += 1) await Promise.resolve();
    const wanted = { uuid: gateway.uuid, amount: 10, phone: false };
    const [order] = await Promise.allSettled([createOrder(scene.ctx, callAs(buyer), wanted), moved]);
    if (order.status === 'rejected') {
      expect(order.reason, `a lead of ${lead}`).toMatchObject({ code: 'conflict' });
      continue;
    }
    const { data, trade_no } = order.value;
    const { config } = await root.api(paymentProviders).get({ params: { id: gateway.id } });
    expect(data, `a lead of ${lead}`).toMatchObject({ params: { pid: config['partner_id'] } });
    await buyer.api(orders).closeOwn({ params: { trade_no } });
  }
});

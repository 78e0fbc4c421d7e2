import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { afterAll, expect, test } from 'vitest';
import { startMoneyScene } from '../../testing/money-scene.ts';

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

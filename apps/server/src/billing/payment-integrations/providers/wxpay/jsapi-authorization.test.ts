import { createPublicKey } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { Formatter, Rsa } from 'wechatpay-axios-plugin';
import { createPaymentScene } from '../../../../testing/scripted-payment-providers/payment-scene.ts';
import { startScriptedWxpay } from '../../../../testing/scripted-payment-providers/scripted-wxpay.ts';
import { wxpayApp } from '../../../../testing/scripted-payment-providers/scripted-wxpay-api.ts';
import { readPrivateKey } from '../../rsa-signatures.ts';

const vendor = await startScriptedWxpay();
const scene = await createPaymentScene(vendor);
const { clock } = scene;
afterAll(() => scene.close());

describe('a payment in WeChat’s own browser', () => {
  const jsapi = scene.connect({ pay_type: 'JSAPI', app_secret: wxpayApp.appSecret });
  const visit = async (address: string, language = 'zh-CN,zh;q=0.9') =>
    (await jsapi).showPage?.({
      method: 'GET',
      headers: { 'accept-language': language },
      query: new URL(address).searchParams,
      body: Buffer.alloc(0),
      address: '203.0.113.7',
    });

  it('leads from our link through WeChat, which identifies the payer, to the payment sheet', async () => {
    const order = scene.newOrder({ returnUrl: 'https://gate.example/</script>?a=1' });
    const { paymentMethod } = await (await jsapi).openOrder(order);
    if (paymentMethod.kind !== 'qr') throw new Error('There is no code');
    const first = await visit(paymentMethod.url);
    expect(first?.status).toBe(302);
    const authorize = new URL(first?.headers['location'] ?? '');
    expect(authorize.origin + authorize.pathname).toBe('https://open.weixin.qq.com/connect/oauth2/authorize');
    expect(authorize.hash).toBe('#wechat_redirect');
    const back = new URL(authorize.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', vendor.createCode('oUpF8uMuAJO_M2pxb1Q9zNjWeS6o'));
    const shown = await visit(back.href);
    expect(shown?.status).toBe(200);
    expect(shown?.body).toContain('>支付</button>');
    expect(shown?.body).not.toContain('</script>?a=1');
    expect(shown?.headers['content-security-policy']).toMatch(/script-src 'nonce-/);
    expect(vendor.orders.get(order.tradeNo)).toMatchObject({ amount: 1234 });

    const call = JSON.parse(/const call = (.*);/.exec(shown?.body ?? '')?.[1] ?? '{}') as Record<string, string>;
    const { appId, timeStamp, nonceStr, package: prepared, paySign } = call;
    const message = Formatter.joinedByLineFeed(appId ?? '', timeStamp ?? '', nonceStr ?? '', prepared ?? '');
    expect(Rsa.verify(message, paySign ?? '', Rsa.from(publicHalf(), Rsa.KEY_TYPE_PUBLIC))).toBe(true);
    // The code works once; reloading the page starts over.
    expect((await visit(back.href))?.status).toBe(302);
  });

  it('opens an order as a page on the phone that asks', async () => {
    const { paymentMethod } = await (await jsapi).openOrder(scene.newOrder({ phone: true }));
    expect(paymentMethod.kind).toBe('page');
  });

  it('refuses changed and expired links, in the buyer’s language', async () => {
    const { paymentMethod } = await (await jsapi).openOrder(scene.newOrder());
    const link = new URL(paymentMethod.kind === 'qr' ? paymentMethod.url : '');
    const sealed = link.searchParams.get('pay') ?? '';
    for (const changed of [
      '',
      'x',
      sealed.slice(0, -4),
      `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`,
      sealed.slice(0, 22),
    ]) {
      link.searchParams.set('pay', changed);
      expect((await visit(link.href, 'ja'))?.status).toBe(410);
    }
    link.searchParams.set('pay', sealed);
    clock.advance(7201);
    const old = await visit(link.href, 'zh-HK');
    clock.advance(-7201);
    expect(old?.body).toContain('連結已失效');
    expect(await visit('https://gate.example/api/payment/notify/x?other=1')).toBeUndefined();
  });

  it('reports WeChat’s reason for a refusal, without a secret', async () => {
    const wrong = await scene.connect({ pay_type: 'JSAPI', app_secret: 'wrong-app-secret' });
    const { paymentMethod } = await wrong.openOrder(scene.newOrder());
    const link = new URL(paymentMethod.kind === 'qr' ? paymentMethod.url : '');
    link.searchParams.set('code', 'any');
    const { searchParams: query } = link;
    const webhook = { method: 'GET', headers: {}, query, body: Buffer.alloc(0), address: '' };
    const shown = await wrong.showPage?.(webhook);
    expect(shown?.status).toBe(409);
    expect(shown?.body).toContain('40125');
    expect(shown?.body).not.toContain('wrong-app-secret');
  });
});

function publicHalf(): string {
  const key = readPrivateKey(vendor.config['mch_private_key'] ?? '');
  if (key === undefined) throw new Error('There is no key');
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}

/** P4: a notice is only believed as it was sent. At least 500 changes of a true one are made for each kind of processor. */
import { describe, expect, it } from 'vitest';
import { measured } from '../../../../tests/faults/tier.ts';
import { mutationsOf } from '../testing/processors/mutations.ts';
import { type PaymentScene, paymentScene } from '../testing/processors/payment-scene.ts';
import { arrived, type SentNotice } from '../testing/processors/scripted-processor.ts';
import { startScriptedProcessor } from '../testing/processors/start-scripted-processor.ts';
import { connectProcessor, NoticeRefused } from './payments.ts';
import type { NoticeEvent } from './processor.ts';

const MUTATIONS_MIN = 500;

for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
  describe(`a notice of ${type}`, () => {
    it('that was changed is no payment', async () => {
      const scene = await paymentScene(await startScriptedProcessor(type));
      try {
        const tradeNo = await paidOrder(scene);
        const [notice] = scene.company.noticesOf(tradeNo);
        if (notice === undefined) throw new Error('There is no notice');
        const trueEvent = await scene.processor.readNotice(arrived(notice));
        expect(trueEvent).toMatchObject({ what: 'paid', tradeNo, amount: 1234 });

        const mutations = mutationsOf(scene.company, tradeNo);
        const distinct = new Set(mutations.map((mutation) => asText(mutation.notice)));
        let harmless = 0;
        for (const { name, notice: changed, harmless: reason } of mutations) {
          const event = await read(scene, changed, name);
          if (event?.what !== 'paid') continue;
          expect(reason, `${name}: ${asText(changed)}`).toBeDefined();
          expect(event, name).toEqual(trueEvent);
          harmless += 1;
        }
        expect(distinct.size).toBeGreaterThanOrEqual(MUTATIONS_MIN);
        expect(await scene.processor.readNotice(arrived(notice))).toEqual(trueEvent);
        measured(
          'P4',
          `${type}: ${distinct.size} changed notices, 0 read as another payment, ${harmless} as the same one`,
        );
      } finally {
        await scene.close();
      }
    });
  });
}

it('a processor without its secret reads nothing, for there is none', async () => {
  const secrets = {
    stripe: 'webhook_secret',
    alipay: 'public_key',
    wxpay: 'mch_apiv3_key',
    epay: 'key',
  } as const;
  for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
    const scene = await paymentScene(await startScriptedProcessor(type));
    const config = { ...scene.company.config, webhook_secret: 'whsec_x' };
    for (const empty of ['', ' ', '\n'])
      expect(() => connectProcessor(type, { ...config, [secrets[type]]: empty }, scene.world)).toThrow(
        secrets[type],
      );
    await scene.close();
  }
});

async function paidOrder(scene: PaymentScene): Promise<string> {
  const { processor, company } = scene;
  const order = scene.orderToPay();
  const { howToPay } = await processor.open(order);
  if (howToPay.kind === 'page' && company.type !== 'stripe') {
    // The buyer's browser opens the page; vendors are played by the company.
    const { origin } = new URL(howToPay.url);
    const url = howToPay.url.replace(origin, company.standIns[origin] ?? origin);
    const form =
      howToPay.method === 'POST' ? { method: 'POST', body: new URLSearchParams(howToPay.params) } : {};
    await fetch(url, form);
  }
  company.pay(order.tradeNo);
  return order.tradeNo;
}

/** Undefined for what was refused. */
async function read(scene: PaymentScene, notice: SentNotice, name: string): Promise<NoticeEvent | undefined> {
  try {
    return await scene.processor.readNotice(arrived(notice));
  } catch (error) {
    expect(error, name).toBeInstanceOf(NoticeRefused);
    return undefined;
  }
}

function asText({ method, url, headers, body }: SentNotice): string {
  return JSON.stringify([method, url, headers, Buffer.from(body).toString('latin1')]);
}

/** Payment links: an order in a link, sealed so that it cannot be changed. */
import { z } from 'zod';
import { deriveKey, openBox, sealBox } from '../../../../platform/secrets/sealed-box.ts';
import type { NewProviderOrder } from '../../payment-provider.ts';
import { tryParseJson } from '../../read-response.ts';

/** Name of the query parameter. */
export const LINK_PARAM = 'pay';
const BOX = 'wxpay-payer-link';

const linkedOrder = z.object({
  tradeNo: z.string(),
  description: z.string(),
  amount: z.int(),
  expiresAt: z.int(),
  returnUrl: z.string(),
});
export type LinkedOrder = z.output<typeof linkedOrder>;

export function createPayerLink(notifyUrl: string, order: NewProviderOrder, apiKey: Buffer): string {
  const { tradeNo, description, amount, expiresAt, returnUrl } = order;
  const content = JSON.stringify({ tradeNo, description, amount, expiresAt, returnUrl });
  const link = new URL(notifyUrl);
  link.searchParams.set(LINK_PARAM, sealBox(deriveKey(apiKey, BOX), BOX, Buffer.from(content)));
  return link.href;
}

/** Returns undefined when it is not a genuine link. */
export function readPayerLink(sealed: string, apiKey: Buffer): LinkedOrder | undefined {
  try {
    const content = openBox(deriveKey(apiKey, BOX), BOX, sealed).toString('utf8');
    return linkedOrder.safeParse(tryParseJson(content)).data;
  } catch {
    return undefined;
  }
}

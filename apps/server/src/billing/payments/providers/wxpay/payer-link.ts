/** An order as a link of ours has it: sealed, so that nobody changes what it is about. */
import { z } from 'zod';
import { deriveKey, openBox, sealBox } from '../../../../platform/secrets/sealed-box.ts';
import type { NewProviderOrder } from '../../payment-provider.ts';
import { tryParseJson } from '../../read-response.ts';

/** The query's name for it. */
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

/** Undefined when it is none of ours. */
export function readPayerLink(sealed: string, apiKey: Buffer): LinkedOrder | undefined {
  try {
    const content = openBox(deriveKey(apiKey, BOX), BOX, sealed).toString('utf8');
    return linkedOrder.safeParse(tryParseJson(content)).data;
  } catch {
    return undefined;
  }
}

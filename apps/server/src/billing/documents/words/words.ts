/** The words of documents; one that a language lacks does not compile. */
import type { Statement } from '@switchyard/contract/billing/statements';

export interface Words {
  statement: string;
  receipt: string;
  number: string;
  month: string;
  made: string;
  /** Label of the month that isn't over yet. */
  running: string;
  account: string;
  email: string;
  summary: string;
  opening: string;
  closing: string;
  movements: { readonly [K in keyof Statement['movements']]: string };
  description: string;
  points: string;
  amount: string;
  models: string;
  model: string;
  requests: string;
  tokensIn: string;
  tokensOut: string;
  seconds: string;
  /** Charges that no call explains. */
  unexplained: string;
  total: string;
  payments: string;
  paidAt: string;
  order: string;
  paid: string;
  refunded: string;
  method: string;
  bought: (usd: string, points: string) => string;
  discount: string;
  fee: string;
  priceIn: (currency: string) => string;
  included: (tax: string, percent: string) => string;
  refundOf: (date: string) => string;
  left: string;
  taxId: (id: string) => string;
  /** Page label with `{{page}}` and `{{pages}}`. */
  page: string;
}

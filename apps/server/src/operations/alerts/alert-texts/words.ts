/** Building blocks of notifications, and the texts of each language. */
import type { AlertEvent } from '@switchyard/contract/operations/alerts';

/** Values of each notification's text. Amounts are texts with their unit. */
export interface AlertValues {
  'low-balance': { balance: string };
  'key-spent': { key: string };
  'order-paid': { order: string; amount: string };
  'order-failed': { order: string; amount: string };
  'order-refunded': { order: string; amount: string };
  /** `time` is UTC seconds. */
  'new-sign-in': { device: string; address: string; time: number };
  'channel-disabled': { channel: string; reason: string };
  'channel-enabled': { channel: string };
  /** `channel` is empty for the whole site. */
  'error-rate': { channel: string; failed: number; requests: number; minutes: number };
  'spend-in-window': { spent: string; limit: string; minutes: number };
  'site-order-paid': { order: string; amount: string; username: string };
  'site-order-failed': { order: string; amount: string; username: string };
  'site-refund-failed': { order: string; amount: string; username: string };
  'job-failed': { job: string; reason: string };
  'books-differ': { usernames: string };
  'new-version': { version: string };
}

export interface AlertText {
  title: string;
  text: string;
}

/** One that is missing does not compile. */
export interface AlertWords {
  test: AlertText;
  alerts: {
    readonly [E in AlertEvent]: (values: AlertValues[E], moment: (time: number) => string) => AlertText;
  };
}

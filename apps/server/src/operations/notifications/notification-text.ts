/** Text of a notification in the language of its recipient. */
import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { NotificationEvent } from '@switchyard/contract/operations/notifications';
import { fillText, formatMoment, notificationTexts, toSingleLine } from '../../locales/server-texts.ts';

/** Values of each notification's text. Amounts are texts with their unit. */
export interface NotificationValues {
  'low-balance': { balance: string };
  'key-spent': { key: string };
  'order-paid': { order: string; amount: string };
  'order-failed': { order: string; amount: string };
  'order-refunded': { order: string; amount: string };
  /** `time` is UTC seconds. */
  'new-sign-in': { device: string; address: string; time: number };
  /** `reason` may be empty. */
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

export interface NotificationText {
  title: string;
  text: string;
}

export function notificationText<E extends NotificationEvent>(
  event: E,
  values: NotificationValues[E],
  language: Language,
): NotificationText {
  const texts = notificationTexts[language];
  const shown: Record<string, string | number> = { ...values };
  let { title, text }: NotificationText = texts.events[event];
  if (typeof shown['time'] === 'number') shown['time'] = formatMoment(language, shown['time']);
  if (event === 'channel-disabled' && shown['reason'] === '') text = texts.disabledAutomatically;
  if (event === 'error-rate' && shown['channel'] === '') title = texts.siteErrorRate;
  return { title: toSingleLine(fillText(title, shown)), text: toSingleLine(fillText(text, shown)) };
}

export function testText(language: Language): NotificationText {
  return notificationTexts[language].test;
}

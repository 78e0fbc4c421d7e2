/**
 * Texts that the server itself writes, in every language: one folder for each language, one file for each subject.
 */
import type { Language } from '@switchyard/contract/accounts/account-fields';
import documentsEn from './en_US/documents.json' with { type: 'json' };
import mailsEn from './en_US/mails.json' with { type: 'json' };
import notificationsEn from './en_US/notifications.json' with { type: 'json' };
import telegramEn from './en_US/telegram.json' with { type: 'json' };
import wechatPayEn from './en_US/wechat-pay.json' with { type: 'json' };
import documentsJa from './ja_JP/documents.json' with { type: 'json' };
import mailsJa from './ja_JP/mails.json' with { type: 'json' };
import notificationsJa from './ja_JP/notifications.json' with { type: 'json' };
import telegramJa from './ja_JP/telegram.json' with { type: 'json' };
import wechatPayJa from './ja_JP/wechat-pay.json' with { type: 'json' };
import documentsCn from './zh_CN/documents.json' with { type: 'json' };
import mailsCn from './zh_CN/mails.json' with { type: 'json' };
import notificationsCn from './zh_CN/notifications.json' with { type: 'json' };
import telegramCn from './zh_CN/telegram.json' with { type: 'json' };
import wechatPayCn from './zh_CN/wechat-pay.json' with { type: 'json' };
import documentsHk from './zh_HK/documents.json' with { type: 'json' };
import mailsHk from './zh_HK/mails.json' with { type: 'json' };
import notificationsHk from './zh_HK/notifications.json' with { type: 'json' };
import telegramHk from './zh_HK/telegram.json' with { type: 'json' };
import wechatPayHk from './zh_HK/wechat-pay.json' with { type: 'json' };

/** Labels of statements and receipts. */
export const documentTexts: Readonly<Record<Language, typeof documentsEn>> = {
  en_US: documentsEn,
  zh_CN: documentsCn,
  zh_HK: documentsHk,
  ja_JP: documentsJa,
};

/** Subjects and paragraphs of every mail. */
export const mailTexts: Readonly<Record<Language, typeof mailsEn>> = {
  en_US: mailsEn,
  zh_CN: mailsCn,
  zh_HK: mailsHk,
  ja_JP: mailsJa,
};

/** Titles and texts of notifications. */
export const notificationTexts: Readonly<Record<Language, typeof notificationsEn>> = {
  en_US: notificationsEn,
  zh_CN: notificationsCn,
  zh_HK: notificationsHk,
  ja_JP: notificationsJa,
};

/** Replies of the Telegram bot. */
export const telegramTexts: Readonly<Record<Language, typeof telegramEn>> = {
  en_US: telegramEn,
  zh_CN: telegramCn,
  zh_HK: telegramHk,
  ja_JP: telegramJa,
};

/** Texts of WeChat Pay's page. */
export const wechatPayTexts: Readonly<Record<Language, typeof wechatPayEn>> = {
  en_US: wechatPayEn,
  zh_CN: wechatPayCn,
  zh_HK: wechatPayHk,
  ja_JP: wechatPayJa,
};

export type DocumentTexts = typeof documentsEn;
export type TelegramTexts = typeof telegramEn;

/** Returns a text with values in place of its `{{placeholders}}`. @throws Error when a placeholder has no value */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`No value for ${name} in the text "${text}"`);
    return String(values[name]);
  });
}

/** Returns a text without line breaks and control characters: a line break in the header of a mail begins another header. */
export function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Formats a moment in UTC. @param time UTC seconds */
export function formatMoment(language: Language, time: number): string {
  const format = new Intl.DateTimeFormat(language.replace('_', '-'), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(time * 1000)} UTC`;
}

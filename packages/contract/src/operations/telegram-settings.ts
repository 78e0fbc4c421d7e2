import { flag, line } from './setting-schemas.ts';

/** Settings of the site's Telegram bot. */
export const telegramSettings = {
  telegramBotToken: { option: 'TelegramBotToken', group: 'sign-in', schema: line, default: '', secret: true },
  /** Receives messages by a webhook; otherwise the server polls for them. */
  telegramWebhook: { option: 'TelegramWebhookEnabled', group: 'sign-in', schema: flag, default: false },
} as const;

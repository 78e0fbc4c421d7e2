/** The site's Telegram bot. Other features write through it: `sendToTelegramUser`. */
export { askBotName } from './bot-api.ts';
export { botName } from './contact.ts';
export { startTelegram } from './listen.ts';
export { sendToTelegramChat, sendToTelegramUser } from './send.ts';
export { serveTelegram } from './webhook-route.ts';

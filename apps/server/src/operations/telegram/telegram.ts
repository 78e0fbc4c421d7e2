/** The site's Telegram bot. */
export { askBotName } from './bot-api.ts';
export { botName } from './contact.ts';
export { startTelegram } from './listen.ts';
export { serveTelegram } from './webhook-route.ts';

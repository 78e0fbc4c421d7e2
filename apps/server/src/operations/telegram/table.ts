import type { ParseMode } from '@switchyard/contract/operations/telegram';
import type { Generated } from 'kysely';

/** Custom command of the bot. */
export interface TelegramMenuTable {
  id: Generated<number>;
  command: string;
  description: string;
  parse_mode: ParseMode;
  reply_message: string;
  enabled: number;
  position: number;
}

/** Secret that Telegram sends with each call of a bot's webhook. */
export interface TelegramWebhookTable {
  /** Id of the bot: the number at the beginning of its token. */
  bot: string;
  secret_sealed: string;
}

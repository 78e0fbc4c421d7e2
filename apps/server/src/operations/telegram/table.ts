import type { ParseMode } from '@switchyard/contract/operations/telegram';
import type { Generated } from 'kysely';

/** A command that the operator added to the bot. */
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
  /** The number at the beginning of its token. */
  bot: string;
  secret_sealed: string;
}

/** The Bot API as https://core.telegram.org/bots/api has it, as far as a bot needs that answers messages. */
import { type Reply, startVendor, type Vendor } from '../vendor.ts';

export const botToken = '123456:scripted-bot-token-0123456789';

export interface ScriptedTelegram extends Vendor {
  /** Somebody writes to the bot. */
  write(from: { id: number; username?: string }, text: string, chatType?: string): void;
  /** What the bot wrote, in order. */
  sent: { chat_id: number; text: string }[];
}

export async function startTelegramServer(): Promise<ScriptedTelegram> {
  const waiting: { update_id: number; message: unknown }[] = [];
  const sent: ScriptedTelegram['sent'] = [];
  let last = 0;
  const ok = (result: unknown): Reply => ({ json: { ok: true, result } });
  const path = (method: string) => `POST /bot${botToken}/${method}`;
  const vendor = await startVendor({
    [path('getMe')]: () => ok({ id: 123456, is_bot: true, first_name: 'Gate', username: 'gate_bot' }),
    [path('getUpdates')]: async ({ body }) => {
      const { offset } = JSON.parse(body) as { offset: number };
      while (waiting[0] !== undefined && waiting[0].update_id < offset) waiting.shift();
      if (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      return ok(waiting);
    },
    [path('sendMessage')]: ({ body }) => {
      sent.push(JSON.parse(body));
      return ok({ message_id: sent.length });
    },
  });
  return {
    ...vendor,
    sent,
    write(from, text, chatType = 'private') {
      last += 1;
      const message = { message_id: last, from, chat: { id: from.id, type: chatType }, text };
      waiting.push({ update_id: last, message });
    },
  };
}

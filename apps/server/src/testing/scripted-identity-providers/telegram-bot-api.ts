/**
 * Simulates the Bot API as https://core.telegram.org/bots/api describes it, as far as a bot that replies to messages
 * needs it.
 */
import { sleep, systemTimers } from '../../platform/clock.ts';
import { type Reply, startTestVendor, type TestVendor } from '../simulated-vendor.ts';

/** Milliseconds of a long poll without messages. Telegram itself waits longer. */
const LONG_POLL_MS = 100;

export const botToken = '123456:scripted-bot-token-0123456789';

interface Sent {
  chat_id: number;
  text: string;
  parse_mode?: string;
}

interface Update {
  update_id: number;
  message: unknown;
}

interface Hook {
  url: string;
  secret_token: string;
}

export interface ScriptedTelegram extends TestVendor {
  /** Sends a message to the bot, which receives it by polling; with a webhook, by `callWebhook`. */
  sendMessage(from: { id: number; username?: string; language_code?: string }, text: string, chatType?: string): Update;
  /** Delivers an update again, as Telegram does when it believes that the first delivery failed. */
  resendUpdate(update: Update): void;
  /** Calls the configured webhook on a server in place of its address. @returns the status */
  callWebhook(server: string, update: unknown, secret?: string): Promise<number>;
  /** Messages of the bot, in order. */
  sent: Sent[];
  readonly hook: Hook | undefined;
  /** Commands by language; the default is `''`. */
  commands: Map<string, { command: string; description: string }[]>;
}

export async function startTelegramServer(): Promise<ScriptedTelegram> {
  let waiting: Update[] = [];
  const sent: Sent[] = [];
  const commands: ScriptedTelegram['commands'] = new Map();
  let hook: Hook | undefined;
  let last = 0;
  let written = Promise.withResolvers<void>();
  const tell = (update: Update): void => {
    waiting.push(update);
    written.resolve();
    written = Promise.withResolvers();
  };
  const ok = (result: unknown): Reply => ({ json: { ok: true, result } });
  const path = (method: string) => `POST /bot${botToken}/${method}`;
  const vendor = await startTestVendor({
    [path('getMe')]: () => ok({ id: 123456, is_bot: true, first_name: 'Gate', username: 'gate_bot' }),
    [path('getUpdates')]: async ({ body }) => {
      if (hook !== undefined) return errorReply(409, "Conflict: can't use getUpdates method while webhook is active");
      const { offset, limit = 100 } = JSON.parse(body) as { offset: number; limit?: number };
      waiting = waiting.filter(({ update_id }) => update_id >= offset);
      if (waiting.length === 0) await Promise.race([written.promise, sleep(systemTimers, LONG_POLL_MS)]);
      return ok(waiting.slice(0, limit));
    },
    [path('sendMessage')]: ({ body }) => {
      const message = JSON.parse(body) as Sent;
      const problem = findParseError(message);
      if (problem !== '') return errorReply(400, `Bad Request: can't parse entities: ${problem}`);
      sent.push(message);
      return ok({ message_id: sent.length });
    },
    [path('setWebhook')]: ({ body }) => {
      const wanted = JSON.parse(body) as Hook;
      if (!wanted.url.startsWith('https://'))
        return errorReply(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook');
      hook = wanted;
      return ok(true);
    },
    [path('deleteWebhook')]: () => {
      hook = undefined;
      return ok(true);
    },
    [path('getWebhookInfo')]: () =>
      ok({ url: hook?.url ?? '', has_custom_certificate: false, pending_update_count: waiting.length }),
    [path('setMyCommands')]: ({ body }) => {
      const { language_code = '', commands: list } = JSON.parse(body);
      commands.set(language_code, list);
      return ok(true);
    },
  });
  return {
    ...vendor,
    sent,
    commands,
    get hook() {
      return hook;
    },
    sendMessage(from, text, chatType = 'private') {
      last += 1;
      const message = { message_id: last, from, chat: { id: from.id, type: chatType }, text };
      const update = { update_id: last, message };
      if (hook === undefined) tell(update);
      return update;
    },
    resendUpdate(update) {
      tell({ ...update });
    },
    async callWebhook(server, update, secret = hook?.secret_token ?? '') {
      const { pathname } = new URL(hook?.url ?? 'https://none/api/telegram/webhook');
      const { status } = await fetch(server + pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify(update),
      });
      return status;
    },
  };
}

export function errorReply(error_code: number, description: string, retry_after?: number): Reply {
  const parameters = retry_after === undefined ? {} : { parameters: { retry_after } };
  return { status: error_code, json: { ok: false, error_code, description, ...parameters } };
}

/** Returns an error for obvious violations of https://core.telegram.org/bots/api#formatting-options */
function findParseError({ parse_mode, text }: Sent): string {
  if (parse_mode === 'MarkdownV2' && /(?:^|[^\\])[.!]/.test(text))
    return "Character '.' is reserved and must be escaped with the preceding '\\'";
  if (parse_mode === 'HTML' && text.split(/<\w/).length !== text.split('</').length)
    return "Can't find end tag corresponding to start tag b";
  return '';
}

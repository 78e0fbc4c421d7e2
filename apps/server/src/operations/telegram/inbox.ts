/**
 * Inbox of the bot, for messages from polling and the webhook alike: handles each message once, and those of one chat
 * in order.
 */

import { type Language, parseLanguage } from '@switchyard/contract/accounts/account';
import { languageOfMails } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { claimKey, NO_USER } from '../../idempotency/idempotency.ts';
import { fillText, type TelegramTexts, telegramTexts } from '../../locales/server-texts.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { hasPublicAddress, publicAddress } from '../../platform/outbound/public-address.ts';
import { askConsent, bindAsAsked, findBound, type TelegramPerson } from './binding.ts';
import { botId } from './bot-api.ts';
import { forUsers, isForUsers } from './commands.ts';
import { logFailure } from './log-failure.ts';
import { builtIn, enabledCommands, findReply } from './menu.ts';
import { type BotReply, sendReply } from './send.ts';
import type { Message, Update } from './update.ts';

const MESSAGES_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

interface Inbox {
  /** Resolves when the message was answered, or left alone; failures are logged. */
  take(update: Update): Promise<void>;
  /** Ends what waits. */
  close(): Promise<void>;
}

const inboxes = new WeakMap<Context, Inbox>();

export function inboxOf(ctx: Context): Inbox {
  const inbox = inboxes.get(ctx) ?? createInbox(ctx);
  inboxes.set(ctx, inbox);
  return inbox;
}

function createInbox(ctx: Context): Inbox {
  const perChat = createLocalLimit(ctx.clock, MESSAGES_PER_MINUTE, MINUTE_MS);
  const stop = new AbortController();
  const lastOf = new Map<number, Promise<void>>();

  const answerOnce = async (id: number, message: Message): Promise<void> => {
    const requestId = newRequestId();
    const scope = `telegram ${botId(ctx)}`;
    const use = { userId: NO_USER, scope, key: String(id), fingerprint: '', requestId };
    // Telegram sends what it holds to be undelivered again, for a day; as long does a key live.
    const claim = await claimKey(ctx.db.writer, use, nowSeconds(ctx.clock));
    if (claim.state === 'new') await answerMessage(ctx, message, { requestId, signal: stop.signal });
  };

  return {
    async take({ update_id, message }) {
      if (message?.chat.type !== 'private') return;
      const chat = message.chat.id;
      if (!perChat.tryTake(String(chat))) return;
      const turn = (lastOf.get(chat) ?? Promise.resolve())
        .then(() => answerOnce(update_id, message))
        .catch((error: unknown) => logFailure(ctx, error, 'a message to the Telegram bot was not answered'));
      lastOf.set(chat, turn);
      await turn;
      if (lastOf.get(chat) === turn) lastOf.delete(chat);
    },
    async close() {
      stop.abort();
      await Promise.all(lastOf.values());
    },
  };
}

/** Replies of the bot to messages. */

interface Delivery {
  requestId: string;
  /** Ends waiting for Telegram. */
  signal: AbortSignal;
}

/** @throws BotRefusal when the answer cannot be sent */
async function answerMessage(ctx: Context, message: Message, { requestId, signal }: Delivery): Promise<void> {
  const user = await findBound(ctx, message.from.id);
  const language = user === undefined ? spoken(ctx, message) : languageOfMails(ctx, user.language);
  const asked = { ...readCommand(message.text), person: personOf(message), requestId, language };
  const reply = await replyFor(ctx, user, asked).catch((error: unknown): BotReply => {
    logFailure(ctx, error, 'a command to the Telegram bot failed');
    return plain(telegramTexts[language].failed);
  });
  await sendReply(ctx, message.chat.id, reply, signal);
}

interface Asked {
  /** Empty: no command. */
  command: string;
  /** Text after the command. */
  rest: string;
  person: TelegramPerson;
  language: Language;
  requestId: string;
}

async function replyFor(
  ctx: Context,
  user: Awaited<ReturnType<typeof findBound>>,
  asked: Asked,
): Promise<BotReply> {
  const { command, rest, language, requestId } = asked;
  const texts = telegramTexts[language];
  if (command === 'start' || command === 'bind')
    return plain(rest === '' ? greeting(ctx, user, texts) : await bind(ctx, user, asked));
  if (command === 'help') return plain(await help(ctx, language));
  if (isForUsers(command)) {
    if (user === undefined) return plain(howToBind(ctx, texts));
    if (user.status !== 'enabled') return plain(texts.disabled);
    return plain(await forUsers[command](ctx, { user, texts, language, rest, requestId }));
  }
  return (await findReply(ctx, command)) ?? plain(texts.unknownCommand);
}

function greeting(ctx: Context, user: Awaited<ReturnType<typeof findBound>>, texts: TelegramTexts): string {
  return user === undefined
    ? howToBind(ctx, texts)
    : fillText(texts.alreadyBound, { username: user.username });
}

async function bind(
  ctx: Context,
  user: Awaited<ReturnType<typeof findBound>>,
  { rest, person, requestId, language }: Asked,
): Promise<string> {
  const asking = telegramTexts[language];
  if (user !== undefined) return asking.taken;
  if (rest !== 'confirm') {
    const username = await askConsent(ctx, rest, person);
    if (username === undefined) return asking.bindingCodeUnknown;
    return fillText(asking.confirmBind, { username, site: ctx.settings.systemName });
  }
  const outcome = await bindAsAsked(ctx, person, requestId);
  const bound = await findBound(ctx, person.id);
  const texts = telegramTexts[bound === undefined ? language : languageOfMails(ctx, bound.language)];
  return { bound: texts.bound, taken: texts.taken, unknown: texts.bindingCodeUnknown }[outcome];
}

async function help(ctx: Context, language: Language): Promise<string> {
  const all = [...builtIn(language), ...(await enabledCommands(ctx))];
  const lines = all.map(({ command, description }) => `/${command} – ${description}`);
  return [telegramTexts[language].help, ...lines].join('\n');
}

function howToBind(ctx: Context, texts: TelegramTexts): string {
  if (!hasPublicAddress(ctx)) return texts.howToBind;
  return fillText(texts.howToBindAt, { link: `${publicAddress(ctx)}/panel/profile` });
}

/** `/command@bot rest`; the name of a bot stands there when the list of commands was used in a group. */
function readCommand(text: string): { command: string; rest: string } {
  const [, command = '', rest = ''] = /^\/(\w{1,32})(?:@\w+)?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return { command: command.toLowerCase(), rest };
}

function personOf({ from }: Message): TelegramPerson {
  return {
    id: from.id,
    label: from.username === undefined ? from.first_name.slice(0, 64) : `@${from.username}`,
  };
}

/** Returns the language of an unknown person's Telegram: https://core.telegram.org/bots/api#user */
function spoken({ settings }: Context, { from }: Message): Language {
  const code = from.language_code.toLowerCase();
  if (/^zh-(?:hant|tw|hk|mo)/.test(code)) return 'zh_HK';
  const known = { zh: 'zh_CN', en: 'en_US', ja: 'ja_JP' }[code.slice(0, 2)];
  return parseLanguage(known ?? '') ?? settings.language;
}

const plain = (reply_message: string): BotReply => ({ parse_mode: 'text', reply_message });

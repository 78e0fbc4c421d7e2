/**
 * Inbox of the bot, for messages from polling and the webhook alike: handles each message once, and those of one chat
 * in order.
 */
import { type Language, parseLanguage } from '@switchyard/contract/accounts/account-fields';
import { z } from 'zod';
import { chooseMailLanguage } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { claimKey, NO_USER } from '../../idempotency/idempotency.ts';
import { fillText, type TelegramTexts, telegramTexts } from '../../locales/server-texts.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { hasPublicAddress, requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { confirmBinding, findBoundUser, requestBindingConsent, type TelegramUser } from './bind-account.ts';
import { type BotReply, getBotId, logFailure, sendReply } from './bot-api.ts';
import { isUserCommand, userCommands } from './built-in-commands.ts';
import { findReply, listBuiltInCommands, listEnabledCommands } from './custom-commands.ts';

const MESSAGES_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

interface Inbox {
  /** Resolves when the message was replied to, or ignored; failures are logged. */
  processUpdate(update: Update): Promise<void>;
  /** Stops waiting replies. */
  close(): Promise<void>;
}

const inboxes = new WeakMap<Context, Inbox>();

export function getInbox(ctx: Context): Inbox {
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
    const scope = `telegram ${getBotId(ctx)}`;
    const use = { userId: NO_USER, scope, key: String(id), fingerprint: '', requestId };
    // Telegram resends messages that it considers undelivered for a day, which is the lifetime of a key.
    const claim = await claimKey(ctx.db.writer, use, nowSeconds(ctx.clock));
    if (claim.state === 'new') await replyToMessage(ctx, message, { requestId, signal: stop.signal });
  };

  return {
    async processUpdate({ update_id, message }) {
      if (message?.chat.type !== 'private') return;
      const chat = message.chat.id;
      if (!perChat.tryConsume(String(chat))) return;
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

interface ReplyContext {
  requestId: string;
  /** Aborts calls to Telegram. */
  signal: AbortSignal;
}

/** @throws BotApiError when the reply cannot be sent */
async function replyToMessage(ctx: Context, message: Message, { requestId, signal }: ReplyContext): Promise<void> {
  const user = await findBoundUser(ctx, message.from.id);
  const language = user === undefined ? detectLanguage(ctx, message) : chooseMailLanguage(ctx, user.language);
  const parsed = { ...readCommand(message.text), person: toTelegramUser(message), requestId, language };
  const reply = await createReply(ctx, user, parsed).catch((error: unknown): BotReply => {
    logFailure(ctx, error, 'a command to the Telegram bot failed');
    return createPlainReply(telegramTexts[language].failed);
  });
  await sendReply(ctx, message.chat.id, reply, signal);
}

interface ParsedMessage {
  /** Empty for no command. */
  command: string;
  /** Text after the command. */
  rest: string;
  person: TelegramUser;
  language: Language;
  requestId: string;
}

async function createReply(
  ctx: Context,
  user: Awaited<ReturnType<typeof findBoundUser>>,
  request: ParsedMessage,
): Promise<BotReply> {
  const { command, rest, language, requestId } = request;
  const texts = telegramTexts[language];
  if (command === 'start' || command === 'bind')
    return createPlainReply(rest === '' ? formatGreeting(ctx, user, texts) : await replyBind(ctx, user, request));
  if (command === 'help') return createPlainReply(await formatHelp(ctx, language));
  if (isUserCommand(command)) {
    if (user === undefined) return createPlainReply(formatBindingHelp(ctx, texts));
    if (user.status !== 'enabled') return createPlainReply(texts.disabled);
    return createPlainReply(await userCommands[command](ctx, { user, texts, language, rest, requestId }));
  }
  return (await findReply(ctx, command)) ?? createPlainReply(texts.unknownCommand);
}

function formatGreeting(ctx: Context, user: Awaited<ReturnType<typeof findBoundUser>>, texts: TelegramTexts): string {
  return user === undefined ? formatBindingHelp(ctx, texts) : fillText(texts.alreadyBound, { username: user.username });
}

async function replyBind(
  ctx: Context,
  user: Awaited<ReturnType<typeof findBoundUser>>,
  { rest, person, requestId, language }: ParsedMessage,
): Promise<string> {
  const asking = telegramTexts[language];
  if (user !== undefined) return asking.taken;
  if (rest !== 'confirm') {
    const username = await requestBindingConsent(ctx, rest, person);
    if (username === undefined) return asking.bindingCodeUnknown;
    return fillText(asking.confirmBind, { username, site: ctx.settings.systemName });
  }
  const outcome = await confirmBinding(ctx, person, requestId);
  const bound = await findBoundUser(ctx, person.id);
  const texts = telegramTexts[bound === undefined ? language : chooseMailLanguage(ctx, bound.language)];
  return { bound: texts.bound, taken: texts.taken, unknown: texts.bindingCodeUnknown }[outcome];
}

async function formatHelp(ctx: Context, language: Language): Promise<string> {
  const all = [...listBuiltInCommands(language), ...(await listEnabledCommands(ctx))];
  const lines = all.map(({ command, description }) => `/${command} – ${description}`);
  return [telegramTexts[language].help, ...lines].join('\n');
}

function formatBindingHelp(ctx: Context, texts: TelegramTexts): string {
  if (!hasPublicAddress(ctx)) return texts.howToBind;
  return fillText(texts.howToBindAt, { link: `${requirePublicAddress(ctx)}/panel/profile` });
}

/** Parses `/command@bot rest`; the bot's name is included when the command was chosen in a group. */
function readCommand(text: string): { command: string; rest: string } {
  const [, command = '', rest = ''] = /^\/(\w{1,32})(?:@\w+)?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return { command: command.toLowerCase(), rest };
}

function toTelegramUser({ from }: Message): TelegramUser {
  return { id: from.id, label: from.username === undefined ? from.first_name.slice(0, 64) : `@${from.username}` };
}

/** Returns the language of an unbound user's Telegram client: https://core.telegram.org/bots/api#user */
function detectLanguage({ settings }: Context, { from }: Message): Language {
  const code = from.language_code.toLowerCase();
  if (/^zh-(?:hant|tw|hk|mo)/.test(code)) return 'zh_HK';
  const known = { zh: 'zh_CN', en: 'en_US', ja: 'ja_JP' }[code.slice(0, 2)];
  return parseLanguage(known ?? '') ?? settings.language;
}

const createPlainReply = (reply_message: string): BotReply => ({ parse_mode: 'text', reply_message });

const message = z.object({
  text: z.string().catch(''),
  chat: z.object({ id: z.int(), type: z.string() }),
  from: z.object({
    id: z.int().positive(),
    username: z.string().max(64).optional().catch(undefined),
    first_name: z.string().catch(''),
    language_code: z.string().max(35).catch(''),
  }),
});
type Message = z.output<typeof message>;

/** Update, with the fields that are used: https://core.telegram.org/bots/api#update */
export const update = z.object({
  update_id: z.int(),
  // Other kinds of updates need no reply.
  message: message.optional().catch(undefined),
});
type Update = z.output<typeof update>;

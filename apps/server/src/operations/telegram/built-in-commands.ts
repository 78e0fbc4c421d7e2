/** Bot commands about a user's own account. */
import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { UserId } from '@switchyard/contract/ids';
import type { Points } from '@switchyard/contract/money';
import type { BuiltInCommand } from '@switchyard/contract/operations/telegram';
import { listApiKeys } from '../../accounts/api-keys/api-keys.ts';
import { readInviteCode } from '../../accounts/invitations/invitations.ts';
import { getUser } from '../../accounts/users/users.ts';
import { redeemWithRateLimit } from '../../billing/redemption-codes/redemption-codes.ts';
import type { Context } from '../../context.ts';
import { fillText, type TelegramTexts } from '../../locales/server-texts.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { hasPublicAddress, requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { readDashboard } from '../../usage/dashboard/dashboard.ts';
import { type BoundUser, unbindTelegram } from './bind-account.ts';

interface CommandContext {
  user: BoundUser;
  texts: TelegramTexts;
  language: Language;
  /** Text after the command. */
  rest: string;
  requestId: string;
}

type Command = (ctx: Context, question: CommandContext) => Promise<string>;
type UserCommand = Exclude<BuiltInCommand, 'start' | 'bind' | 'help'>;

const KEYS_SHOWN = 20;

/** Commands, each of which returns the reply. */
export const userCommands: Readonly<Record<UserCommand, Command>> = {
  balance: replyBalance,
  keys: replyKeys,
  redeem: (ctx, question) =>
    question.rest === '' ? Promise.resolve(question.texts.howToRedeem) : replyRedeem(ctx, question),
  recharge: (ctx, question) =>
    question.rest === '' ? Promise.resolve(replyTopUp(ctx, question)) : replyRedeem(ctx, question),
  invite: replyInvite,
  unbind: replyUnbind,
};

export function isUserCommand(command: string): command is UserCommand {
  return Object.hasOwn(userCommands, command);
}

async function replyBalance(ctx: Context, { user, texts, language }: CommandContext): Promise<string> {
  const { quota, held_quota } = await getUser(ctx, user.id);
  const today = await readDashboard(ctx, user.id, { days: 1, utc_offset: 0 });
  const [balance, held, usedToday] = [quota, held_quota, today.current.quota].map((points) =>
    formatAmount(ctx, points, texts, language),
  ) as [string, string, string];
  return fillText(texts.balance, { balance, held, usedToday });
}

async function replyKeys(ctx: Context, { user, texts, language }: CommandContext): Promise<string> {
  const owner = { userId: user.id as UserId, groupSymbol: user.group_symbol };
  const { data, total_count } = await listApiKeys(ctx, owner, { page: 1, size: KEYS_SHOWN });
  if (data.length === 0) return texts.noKeys;
  const lines = data.map(({ name, key, status, unlimited_quota, remain_quota }) => {
    const left = unlimited_quota
      ? texts.unlimited
      : fillText(texts.left, { amount: formatAmount(ctx, remain_quota, texts, language) });
    return [name, key, texts.keyStatus[status], left].join(' · ');
  });
  const remaining = total_count - data.length;
  return [...lines, ...(remaining > 0 ? [fillText(texts.moreKeys, { count: remaining })] : [])].join('\n');
}

async function replyRedeem(ctx: Context, question: CommandContext): Promise<string> {
  const { user, texts, language, rest, requestId } = question;
  try {
    const caller = { userId: user.id as UserId };
    const call = { caller, address: '', requestId, idempotencyKey: undefined };
    const added = await redeemWithRateLimit(ctx, call, rest);
    const { quota } = await getUser(ctx, user.id);
    return fillText(texts.redeemed, {
      amount: formatAmount(ctx, added, texts, language),
      balance: formatAmount(ctx, quota, texts, language),
    });
  } catch (error) {
    const sentence = error instanceof AppError ? describeRefusal(error, texts) : undefined;
    if (sentence === undefined) throw error;
    return sentence;
  }
}

function describeRefusal({ code, retryAfterSeconds = 0 }: AppError, texts: TelegramTexts): string | undefined {
  const refusals: Readonly<Record<string, string>> = texts.codeRefused;
  if (Object.hasOwn(refusals, code)) return refusals[code];
  if (code === 'too-many-requests') return fillText(texts.tooManyTries, { minutes: Math.ceil(retryAfterSeconds / 60) });
  return code === 'invalid-input' ? texts.balanceFull : undefined;
}

function replyTopUp(ctx: Context, { texts }: CommandContext): string {
  const own = hasPublicAddress(ctx) ? `${requirePublicAddress(ctx)}/panel/topup` : '';
  const link = ctx.settings.topUpLink || own;
  return link === '' ? texts.howToRedeem : fillText(texts.topUp, { link });
}

async function replyInvite(ctx: Context, { user, texts }: CommandContext): Promise<string> {
  if (!hasPublicAddress(ctx)) return texts.noAddress;
  const code = await readInviteCode(ctx, user.id);
  return fillText(texts.invite, { link: `${requirePublicAddress(ctx)}/register?aff=${encodeURIComponent(code)}` });
}

async function replyUnbind(ctx: Context, { user, texts, rest, requestId }: CommandContext): Promise<string> {
  if (rest !== 'confirm') return texts.confirmUnbind;
  await unbindTelegram(ctx, { caller: { userId: user.id as UserId }, address: '', requestId });
  return texts.unbound;
}

/** Formats an amount as the site shows money: `$1.23 (615,000 points)`, or points alone. */
function formatAmount({ settings }: Context, points: Points, texts: TelegramTexts, language: Language): string {
  const locale = language.replace('_', '-');
  const whole = fillText(texts.points, { points: new Intl.NumberFormat(locale).format(points) });
  if (!settings.displayInCurrency) return whole;
  const dollars = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return `${dollars.format(points / settings.quotaPerUnit)} (${whole})`;
}

/**
 * Binds Telegram accounts: the signed-in user gets a code, and whoever sends it to the site's bot is asked. Without the
 * question, a link with somebody else's code would bind whoever opens it.
 */
import type { UserId } from '@switchyard/contract/ids';
import type { telegram } from '@switchyard/contract/operations/telegram';
import type { RouteResponse } from '@switchyard/contract/route';
import {
  consumePendingSecret,
  consumeSecret,
  issueSecret,
  revokeSecrets,
} from '../../accounts/one-time-secrets/one-time-secrets.ts';
import { mailOwner } from '../../accounts/security-mails/security-mails.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { audit } from '../audit/audit.ts';
import { getBotName } from './bot-connection.ts';

const PROVIDER = 'telegram';
const ISSUER = 'https://telegram.org';
const CODE_SECONDS = 600;

/** The code is sent from another device. */
const anyDevice = { purpose: 'telegram', deviceHash: '' } as const;

/** Returns the scope of the consent that a Telegram account was asked for. */
const buildConsentScope = ({ id }: TelegramUser) =>
  ({ purpose: 'telegram-consent', deviceHash: '', subject: String(id) }) as const;

/** Whoever does it, at the screen or in the chat. */
interface BindingCall {
  caller: Pick<Caller, 'userId'> & Partial<Pick<Caller, 'impersonator'>>;
  address: string;
  requestId: string;
}

/** A Telegram account. */
export interface TelegramUser {
  id: number;
  label: string;
}

export async function readTelegramBinding(
  ctx: Context,
  { userId }: Caller,
): Promise<RouteResponse<typeof telegram.get>> {
  const bound = await ctx.db.writer
    .selectFrom('identity')
    .select(['label', 'created_time'])
    .where('user_id', '=', userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  return { bot: getBotName(ctx), bound: bound ?? null };
}

/** @throws AppError `switched-off` while there is no bot */
export async function beginBinding(ctx: Context, { userId }: Caller): Promise<{ code: string; link: string }> {
  const bot = getBotName(ctx);
  if (bot === '') throw new AppError('switched-off', 'This site has no Telegram bot');
  const subject = String(userId);
  await revokeSecrets(ctx, { ...anyDevice, subject });
  const code = await issueSecret(ctx, { ...anyDevice, subject, userId, seconds: CODE_SECONDS });
  return { code, link: `https://t.me/${bot}?start=${code}` };
}

/**
 * Takes the code, and notes what the person is asked; of two questions the last one counts.
 * @returns the name of the account that they would be bound to; undefined for a code that is wrong or expired
 */
export async function requestBindingConsent(
  ctx: Context,
  code: string,
  person: TelegramUser,
): Promise<string | undefined> {
  const userId = (await consumeSecret(ctx, anyDevice, code))?.userId;
  if (userId === undefined) return undefined;
  const consent = buildConsentScope(person);
  await revokeSecrets(ctx, consent);
  await issueSecret(ctx, { ...consent, userId, seconds: CODE_SECONDS });
  const { username } = await ctx.db.writer
    .selectFrom('user')
    .select('username')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return username;
}

/**
 * Binds the account after the person has consented.
 * @returns whether it is bound, bound to another account already, or no consent was asked for
 */
export async function confirmBinding(
  ctx: Context,
  person: TelegramUser,
  requestId: string,
): Promise<'bound' | 'taken' | 'unknown'> {
  const userId = (await consumePendingSecret(ctx, buildConsentScope(person)))?.userId;
  if (userId === undefined) return 'unknown';
  const { id, label } = person;
  const bound = await ctx.db.writer
    .insertInto('identity')
    .values({
      provider: PROVIDER,
      issuer: ISSUER,
      subject: String(id),
      user_id: userId,
      label,
      created_time: nowSeconds(ctx.clock),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (bound === undefined) return 'taken';
  await auditBinding(ctx, { caller: { userId: userId as UserId }, address: '', requestId }, 'bind');
  return 'bound';
}

/** @throws AppError `not-found` */
export async function unbindTelegram(ctx: Context, call: BindingCall): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('identity')
    .where('user_id', '=', call.caller.userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('Telegram account');
  await auditBinding(ctx, call, 'unbind');
}

/** The living account that a Telegram account is bound to. */
export function findBoundUser(ctx: Context, telegramId: number) {
  return ctx.db.writer
    .selectFrom('identity')
    .innerJoin('user', 'user.id', 'identity.user_id')
    .select(['user.id', 'user.username', 'user.status', 'user.language', 'user.group_symbol'])
    .where('provider', '=', PROVIDER)
    .where('issuer', '=', ISSUER)
    .where('subject', '=', String(telegramId))
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
}
export type BoundUser = NonNullable<Awaited<ReturnType<typeof findBoundUser>>>;

/** The Telegram account of a user, which is also the chat with it; undefined without one. */
export async function findTelegramId(ctx: Context, userId: number): Promise<string | undefined> {
  const row = await ctx.db.writer
    .selectFrom('identity')
    .select('subject')
    .where('user_id', '=', userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  return row?.subject;
}

async function auditBinding(ctx: Context, call: BindingCall, verb: 'bind' | 'unbind'): Promise<void> {
  const { userId } = call.caller;
  await mailOwner(ctx, userId, verb === 'bind' ? 'identity-bound' : 'identity-unbound', {
    provider: 'Telegram',
  });
  await audit(ctx, call, {
    action: `identity.${verb}`,
    target: `user:${userId}`,
    detail: { provider: PROVIDER },
  });
}

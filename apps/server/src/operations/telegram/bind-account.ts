/**
 * Binds Telegram accounts: the signed-in user gets a code, and the Telegram account that sends it to the site's bot
 * must confirm. Without the confirmation, a link with another user's code would bind anyone who opens it.
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
import { AppError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { audit } from '../audit/audit.ts';
import { getBotName } from './bot-connection-state.ts';

const PROVIDER = 'telegram';
const ISSUER = 'https://telegram.org';
const CODE_SECONDS = 600;

/** Not bound to a device, because the code is sent from another one. */
const anyDevice = { purpose: 'telegram', deviceHash: '' } as const;

/** Returns the scope of the consent that a Telegram account was asked for. */
const buildConsentScope = ({ id }: TelegramUser) =>
  ({ purpose: 'telegram-consent', deviceHash: '', subject: String(id) }) as const;

/** Caller of a binding, from the console or the chat. */
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

/** @throws AppError `switched-off` without a bot */
export async function beginBinding(ctx: Context, { userId }: Caller): Promise<{ code: string; link: string }> {
  const bot = getBotName(ctx);
  if (bot === '') throw new AppError('switched-off', 'This site has no Telegram bot');
  const subject = String(userId);
  await revokeSecrets(ctx, { ...anyDevice, subject });
  const code = await issueSecret(ctx, { ...anyDevice, subject, userId, seconds: CODE_SECONDS });
  return { code, link: `https://t.me/${bot}?start=${code}` };
}

/**
 * Consumes the code, and asks for consent; a later request replaces an earlier one.
 * @returns the name of the account to bind to; undefined for an invalid or expired code
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
 * Binds the account after consent.
 * @returns whether it is bound, already bound to another account, or no consent was requested
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

export function notConnectedError(): AppError {
  return new AppError('not-found', 'Your account is not connected to Telegram. Connect it in your profile.');
}

/** @throws AppError `not-found` */
export async function unbindTelegram(ctx: Context, call: BindingCall): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('identity')
    .where('user_id', '=', call.caller.userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notConnectedError();
  await auditBinding(ctx, call, 'unbind');
}

/** Finds the existing user to whom a Telegram account is bound. */
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

/** Finds the Telegram account of a user, whose id is also the chat's; undefined without one. */
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
  await mailOwner(ctx, userId, verb === 'bind' ? 'identity-bound' : 'identity-unbound', { provider: 'Telegram' });
  await audit(ctx, call, { action: `identity.${verb}`, target: `user:${userId}`, detail: { provider: PROVIDER } });
}

/** Channel health as administrators see it, and the actions on it. */

import type { channels } from '@switchyard/contract/channels/channels';
import type { Settings } from '@switchyard/contract/operations/settings';
import type { RouteResponse } from '@switchyard/contract/route';
import type { UpstreamError } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { findChannel } from '../registry/queries.ts';
import { getChannelHealth } from './channel-health.ts';

const EVENTS_SHOWN = 50;

/** @throws AppError `not-found` */
export async function readChannelHealth(ctx: Context, id: number): Promise<RouteResponse<(typeof channels)['health']>> {
  await findChannel(ctx, id);
  const events = await ctx.db.writer
    .selectFrom('channel_event')
    .leftJoin('user', 'user.id', 'channel_event.user_id')
    .select(['channel_event.created_at', 'event', 'reason'])
    .select((eb) => eb.fn.coalesce('user.username', eb.val('')).as('username'))
    .where('channel_id', '=', id)
    .orderBy('channel_event.id', 'desc')
    .limit(EVENTS_SHOWN)
    .execute();
  const models = getChannelHealth(ctx)
    .list(id)
    .map(({ model, circuitBreaker, openUntil, failuresInRow, cooldownUntil, firstContentMs, servedModel }) => ({
      model,
      breaker: circuitBreaker,
      open_until: toSeconds(openUntil),
      failures_in_row: failuresInRow,
      rests_until: toSeconds(cooldownUntil),
      first_content_time: firstContentMs === undefined ? null : Math.round(firstContentMs),
      served_model: servedModel,
    }))
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
  return { models, events };
}

/** @throws AppError `not-found` */
export async function resumeChannel(ctx: Context, id: number): Promise<void> {
  await findChannel(ctx, id);
  getChannelHealth(ctx).reset(id);
}

/** Returns the UTC seconds until which a channel is in cooldown for some model; 0 for none. */
export function getChannelCooldownEnd(ctx: Context, id: number): number {
  const untils = getChannelHealth(ctx)
    .list(id)
    .map(({ circuitBreaker, openUntil, cooldownUntil }) =>
      Math.max(circuitBreaker === 'open' ? openUntil : 0, cooldownUntil),
    );
  return toSeconds(Math.max(0, ...untils));
}

const toSeconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** Returns whether the key or its account is at fault. */
export function isAccountError({ kind }: UpstreamError): boolean {
  return kind === 'unauthorised' || kind === 'out-of-credit';
}

/** Returns whether the account is unusable, by the kind of the error or by the operator's keywords. */
export function isUnusableAccountError(
  { disableChannelKeywords }: Pick<Settings, 'disableChannelKeywords'>,
  error: UpstreamError,
): boolean {
  if (isAccountError(error)) return true;
  if (disableChannelKeywords === '') return false;
  const message = error.message.toLowerCase();
  return disableChannelKeywords
    .split('\n')
    .some((line) => line.trim() !== '' && message.includes(line.trim().toLowerCase()));
}

import { z } from 'zod';
import { pointsAmount } from '../money.ts';

const cap = pointsAmount.min(1).nullable();
/**
 * Spending caps of the channel in a UTC day or month; null: no limit. The channel's own cost counts where it is known,
 * else the price list's. A channel at its cap is skipped until the day or month ends.
 */
export const channelCaps = z.object({ day: cap.default(null), month: cap.default(null) });
export type ChannelCaps = z.output<typeof channelCaps>;

/** Caps in a change, which must send both: a cap that is left out would be removed silently. */
export const channelCapsUpdate = z.object({ day: cap, month: cap });

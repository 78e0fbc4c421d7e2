import { z } from 'zod';
import { pointsAmount } from '../money.ts';

const cap = pointsAmount.min(1).nullable();
/**
 * What the channel may cost the operator in a UTC day or month; null: no limit. Its own cost counts where that is known,
 * else the price list's. At a cap it is passed over until the day or month ends.
 */
export const channelCaps = z.object({ day: cap.default(null), month: cap.default(null) });
export type ChannelCaps = z.output<typeof channelCaps>;

/** In a change both are sent: a cap that is left out would be taken away without a word. */
export const changedCaps = z.object({ day: cap, month: cap });

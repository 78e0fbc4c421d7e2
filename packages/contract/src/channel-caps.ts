import { z } from 'zod';
import { pointsAmount } from './money.ts';

const cap = pointsAmount.min(1).nullable().default(null);
/**
 * What the channel may cost the operator in a UTC day or month; null: no limit. Its own cost counts where that is known,
 * else the price list's. At a cap it is passed over until the day or month ends.
 */
export const channelCaps = z.object({ day: cap, month: cap });
export type ChannelCaps = z.output<typeof channelCaps>;

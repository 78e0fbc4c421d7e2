/** What a usage record keeps besides its columns, as JSON: enough to explain the charge and the way to it. */
import type { Attempt, Ending } from '@switchyard/contract/usage-records';
import type { PriceLine, PriceRule } from './price.ts';

export interface UsageDetail {
  /** By which the call was charged. */
  ending?: Ending;
  receipt?: {
    price_type: PriceRule['type'];
    price_model: string;
    ratio_micros: number;
    lines: readonly PriceLine[];
  };
  /** In the order they were made; the channel's name is looked up when the record is read. */
  attempts?: readonly Omit<Attempt, 'channel_name'>[];
  /** Points of the charge that the balance did not cover, and that are a debt now. */
  overrun?: number;
  /** Request fields that the upstream's dialect could not carry. */
  dropped?: readonly string[];
}

import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../../accounts/session/queries.ts';
import { marginsQuery } from '../../../usage/analytics/queries.ts';

const none: Readonly<Record<string, PriceMargin>> = {};

/** By the model or pattern of the price; undefined for whoever does not see analytics. */
export function useMargins(): Readonly<Record<string, PriceMargin>> | undefined {
  const mayRead = useMay('overview.read');
  const { data = none } = useQuery({ ...marginsQuery, enabled: mayRead });
  return mayRead ? data : undefined;
}

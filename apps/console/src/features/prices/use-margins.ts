import type { PriceMargin } from '@switchyard/contract/analytics';
import { useQuery } from '@tanstack/react-query';
import { marginsQuery } from '../analytics/queries.ts';
import { useMay } from '../session/queries.ts';

const none: Readonly<Record<string, PriceMargin>> = {};

/** By the model or pattern of the price; undefined for whoever does not see analytics. */
export function useMargins(): Readonly<Record<string, PriceMargin>> | undefined {
  const mayRead = useMay('overview.read');
  const { data = none } = useQuery({ ...marginsQuery, enabled: mayRead });
  return mayRead ? data : undefined;
}

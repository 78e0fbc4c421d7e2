import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { useQuery } from '@tanstack/react-query';
import { useHasAccess } from '../../../accounts/session/queries.ts';
import { marginsQuery } from '../../../usage/analytics/queries.ts';

const none: Readonly<Record<string, PriceMargin>> = {};

/** Returns the margins by the model or pattern of the price; undefined for users who may not see analytics. */
export function useMargins(): Readonly<Record<string, PriceMargin>> | undefined {
  const mayRead = useHasAccess('overview.read');
  const { data = none } = useQuery({ ...marginsQuery, enabled: mayRead });
  return mayRead ? data : undefined;
}

import Box from '@mui/material/Box';
import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { useQuery } from '@tanstack/react-query';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { useHasAccess } from '../../../accounts/session/queries.ts';
import { marginsQuery } from '../../../usage/analytics/queries.ts';

/** Returns the margin as a share of the charges whose cost is known; null without such calls. */
export function shareKept(margin: PriceMargin | undefined): number | null {
  if (margin === undefined || margin.costed === 0) return null;
  return (margin.costed - margin.cost) / margin.costed;
}

/** Shows cost, charges and margin of calls whose cost is known. */
export function Margin({ of }: { of: PriceMargin | undefined }) {
  const { points, percent } = useFormat();
  if (of === undefined) return UNKNOWN;
  const share = shareKept(of);
  return (
    <Box component="span" sx={of.cost > of.costed ? { color: 'error.main' } : {}}>
      {points(of.cost)} → {points(of.costed)}
      {share !== null && ` · ${percent(share)}`}
    </Box>
  );
}

const none: Readonly<Record<string, PriceMargin>> = {};

/** Returns the margins by the price's model or pattern; undefined for users who may not see analytics. */
export function useMargins(): Readonly<Record<string, PriceMargin>> | undefined {
  const mayRead = useHasAccess('overview.read');
  const { data = none } = useQuery({ ...marginsQuery, enabled: mayRead });
  return mayRead ? data : undefined;
}

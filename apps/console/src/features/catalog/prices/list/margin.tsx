import Box from '@mui/material/Box';
import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';

/** Returns the share kept of the income from calls of known cost; null where there is none. */
export function shareKept(margin: PriceMargin | undefined): number | null {
  if (margin === undefined || margin.costed === 0) return null;
  return (margin.costed - margin.cost) / margin.costed;
}

/** Shows the cost of calls, the income from them, and the share kept. */
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

import Box from '@mui/material/Box';
import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';

/** Of what calls of known cost brought in, the share that was left; null where there is none. */
export function shareKept(margin: PriceMargin | undefined): number | null {
  if (margin === undefined || margin.costed === 0) return null;
  return (margin.costed - margin.cost) / margin.costed;
}

/** What was paid for calls, what they were sold for, and the share that was left. */
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

import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';

export interface UptimeBar {
  /** When it begins, UTC seconds. */
  from: number;
  /** Share of successful requests; null where there were none. */
  share: number | null;
  title: string;
}

interface UptimeBarsProps {
  /** Description of all bars together, for screen readers. */
  label: string;
  bars: readonly UptimeBar[];
  /** Shares from which on an hour or day counts as well, and as half well. */
  well: number;
  badly: number;
}

/** One bar for each span of time, coloured by the share of requests that were answered. */
export function UptimeBars({ label, bars, well, badly }: UptimeBarsProps) {
  const colourOf = (share: number | null): string => {
    if (share === null) return 'action.disabledBackground';
    return share >= well ? 'success.main' : share >= badly ? 'warning.main' : 'error.main';
  };
  return (
    <Box role="img" aria-label={label} sx={{ display: 'flex', gap: { xs: '1px', sm: '2px' }, height: 26 }}>
      {bars.map(({ from, share, title }) => (
        <Tooltip key={from} title={title}>
          <Box aria-hidden sx={{ flex: 1, borderRadius: 0.5, bgcolor: colourOf(share) }} />
        </Tooltip>
      ))}
    </Box>
  );
}

import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';

/** Shows the used share of an allowance as a thin bar with a label. */
export function UsageBar({ used, left, label }: { used: number; left: number; label: string }) {
  const total = used + Math.max(0, left);
  const share = total > 0 ? Math.min(1, Math.max(0, used / total)) : 0;
  const colour = share > 0.95 ? 'error.main' : share > 0.8 ? 'warning.main' : 'primary.main';
  return (
    <Box component="span" sx={{ display: 'inline-block', width: '100%', maxWidth: 220, lineHeight: 1.2 }}>
      {label}
      <Box
        component="span"
        aria-hidden
        sx={{ display: 'block', height: 3, mt: 0.5, borderRadius: 999, bgcolor: 'neutral.soft', overflow: 'hidden' }}
      >
        <Box
          component="span"
          style={{ width: `${share * 100}%` }}
          sx={{ display: 'block', height: '100%', bgcolor: colour }}
        />
      </Box>
    </Box>
  );
}

interface UptimeBar {
  /** Start in UTC seconds. */
  from: number;
  /** Share of successful requests; null without requests. */
  share: number | null;
  title: string;
}

interface UptimeBarsProps {
  /** Description of all bars together, for screen readers. */
  label: string;
  bars: readonly UptimeBar[];
  /** Lowest shares that are shown as good and as degraded. */
  well: number;
  badly: number;
}

/** Shows one bar per time span, coloured by the share of successful requests. */
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

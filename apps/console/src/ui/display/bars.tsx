import Box from '@mui/material/Box';

/** A thin bar over its own words: how much of an allowance is used. */
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
        sx={{
          display: 'block',
          height: 3,
          mt: 0.5,
          borderRadius: 999,
          bgcolor: 'neutral.soft',
          overflow: 'hidden',
        }}
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

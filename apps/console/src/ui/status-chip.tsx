import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';

export type Tone = 'success' | 'warning' | 'error' | 'info' | 'neutral' | 'primary';

interface StatusChipProps {
  tone: Tone;
  children: ReactNode;
  /** Why it is in this state. */
  hint?: string | undefined;
  /** A dot before the words, for states that change by themselves. */
  dot?: boolean;
}

/** A state in words on its colour; colour alone never says it. */
export function StatusChip({ tone, children, hint, dot = true }: StatusChipProps) {
  const chip = (
    <Box
      component="span"
      sx={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.75,
        height: 22,
        px: 1,
        borderRadius: 999,
        fontSize: '0.75rem',
        fontWeight: 500,
        whiteSpace: 'nowrap',
        bgcolor: `${tone}.soft`,
        color: `${tone}.onSoft`,
      }}
    >
      {dot && (
        <Box component="span" sx={{ width: 6, height: 6, borderRadius: '50%', bgcolor: 'currentColor' }} />
      )}
      {children}
    </Box>
  );
  return hint === undefined || hint === '' ? chip : <Tooltip title={hint}>{chip}</Tooltip>;
}

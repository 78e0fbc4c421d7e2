import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import { Name } from './formatted-values.tsx';

export type Tone = 'success' | 'warning' | 'error' | 'info' | 'neutral' | 'primary';

interface StatusChipProps {
  tone: Tone;
  children: ReactNode;
  /** Reason of the state. */
  hint?: string | undefined;
  /** True to show a dot, for states that change by themselves. */
  dot?: boolean;
}

/** Shows a state as coloured text; colour alone would not be accessible. */
export function StatusChip({ tone, children, hint, dot = true }: StatusChipProps) {
  const chip = (
    <Chip tone={tone}>
      {dot && <Dot />}
      {children}
    </Chip>
  );
  return hint === undefined || hint === '' ? chip : <Tooltip title={hint}>{chip}</Tooltip>;
}

// A styled component instead of `sx`, because a list renders one in each row.
const Chip = styled('span', { shouldForwardProp: (name) => name !== 'tone' })<{ tone: Tone }>(({ theme, tone }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: theme.spacing(0.75),
  height: 22,
  padding: theme.spacing(0, 1),
  borderRadius: 999,
  fontSize: '0.75rem',
  fontWeight: 500,
  whiteSpace: 'nowrap',
  backgroundColor: theme.vars.palette[tone].soft,
  color: theme.vars.palette[tone].onSoft,
}));
const Dot = styled('span')({ width: 6, height: 6, borderRadius: '50%', backgroundColor: 'currentColor' });

/** Shows tags in one line unless they may wrap. */
export function TagChips({ tags, wrap = false }: { tags: readonly string[]; wrap?: boolean }) {
  return (
    <Box component="span" sx={{ display: 'flex', flexWrap: wrap ? 'wrap' : 'nowrap', gap: 0.5, overflow: 'hidden' }}>
      {tags.map((tag) => (
        <StatusChip key={tag} tone="neutral" dot={false}>
          <Name>{tag}</Name>
        </StatusChip>
      ))}
    </Box>
  );
}

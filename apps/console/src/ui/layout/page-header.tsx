import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: ReactNode;
  /** One primary action, preceded by secondary ones. */
  actions?: ReactNode;
  /** Chip or text beside the title. */
  aside?: ReactNode;
}

export function PageHeader({ title, actions, aside }: PageHeaderProps) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, minHeight: 40, mb: 1.5, flexWrap: 'wrap' }}>
      <Typography variant="h1" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {title}
      </Typography>
      {aside}
      <Box sx={{ flexGrow: 1 }} />
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>{actions}</Box>
    </Box>
  );
}

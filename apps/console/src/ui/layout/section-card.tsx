import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { topBarHeight } from '../theme/design-tokens.ts';

interface SectionCardProps {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  id?: string;
}

export function SectionCard({ title, actions, children, id }: SectionCardProps) {
  const space = { xs: 2, lg: 2.5 };
  // The sticky top bar would cover a section to which the page scrolls.
  const below = { xs: `${topBarHeight.phone + 16}px`, md: `${topBarHeight.wide + 16}px` };
  return (
    <Paper
      component="section"
      variant="outlined"
      {...(id === undefined ? {} : { id })}
      sx={{ borderRadius: 1.5, scrollMarginTop: below }}
    >
      {(title !== undefined || actions !== undefined) && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, px: space, pt: 2 }}>
          <Typography variant="h3" component="h2" sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
            {title}
          </Typography>
          {actions}
        </Box>
      )}
      <Box sx={{ px: space, py: 2 }}>{children}</Box>
    </Paper>
  );
}

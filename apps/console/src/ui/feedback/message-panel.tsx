import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** Shows a message that fills a screen, such as 404. */
export function MessagePanel({
  code,
  title,
  children,
  action,
}: {
  code?: string;
  title: string;
  children?: ReactNode;
  action: ReactNode;
}) {
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', minHeight: '50vh', p: 3, textAlign: 'center' }}>
      <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'center', maxWidth: 480 }}>
        {code !== undefined && (
          <Typography variant="h4" component="p" sx={{ color: 'text.secondary' }}>
            {code}
          </Typography>
        )}
        <Typography variant="h1">{title}</Typography>
        {children !== undefined && <Typography sx={{ color: 'text.secondary' }}>{children}</Typography>}
        <Box sx={{ mt: 1 }}>{action}</Box>
      </Box>
    </Box>
  );
}

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** Renders the card of sign-in, registration and password reset. */
export function SignInCard({ title, subtitle, children }: { title: string; subtitle: string; children: ReactNode }) {
  return (
    <Box sx={{ flexGrow: 1, display: 'grid', placeItems: 'center', p: 2, pb: '12vh' }}>
      <Paper variant="outlined" sx={{ width: '100%', maxWidth: 400, borderRadius: 1.5, p: { xs: 2.5, sm: 4 } }}>
        <Typography variant="h1">{title}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 3 }}>
          {subtitle}
        </Typography>
        {children}
      </Paper>
    </Box>
  );
}

/** Shows links to other pages under a form. */
export function SignInLinks({ children }: { children: ReactNode }) {
  return <Box sx={{ mt: 2, fontSize: '0.8125rem' }}>{children}</Box>;
}

import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Shows links to other pages under a form. */
export function EntryLinks({ children }: { children: ReactNode }) {
  return <Box sx={{ mt: 2, fontSize: '0.8125rem' }}>{children}</Box>;
}

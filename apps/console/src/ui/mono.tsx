import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { monoFont } from './fonts.ts';

/** An id, a model or a key in running text. */
export function Mono({ children }: { children: ReactNode }) {
  return (
    <Box component="span" sx={{ fontFamily: monoFont, fontSize: '0.9em' }}>
      {children}
    </Box>
  );
}

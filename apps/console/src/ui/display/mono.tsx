import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { removeBidiControls } from '../../i18n/bidi.ts';
import { monoFont } from '../theme/fonts.ts';

/** An id, a model or a key in running text, set apart from the words around it. */
export function Mono({ children }: { children: ReactNode }) {
  return (
    <Box component="bdi" sx={{ fontFamily: monoFont, fontSize: '0.9em', minWidth: 0 }}>
      {typeof children === 'string' ? removeBidiControls(children) : children}
    </Box>
  );
}

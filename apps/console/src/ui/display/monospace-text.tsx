import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { removeBidiControls } from '../../i18n/bidi.ts';
import { monoFont } from '../theme/design-tokens.ts';

/** Shows an id, a model or a key in a monospace font, isolated from the direction of the surrounding text. */
export function Mono({ children }: { children: ReactNode }) {
  return (
    <Box component="bdi" sx={{ fontFamily: monoFont, fontSize: '0.9em', minWidth: 0 }}>
      {typeof children === 'string' ? removeBidiControls(children) : children}
    </Box>
  );
}

import Box from '@mui/material/Box';
import { CopyButton } from '../actions/copy-button.tsx';
import { UNKNOWN } from '../format/format.ts';
import { Mono } from './monospace-text.tsx';

/**
 * Shows an id with a copy button; an empty text is shown as unknown.
 * @param what accessible name of the id
 */
export function CopyableId({ text, what }: { text: string; what: string }) {
  if (text === '') return UNKNOWN;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, my: -0.5 }}>
      <Mono>{text}</Mono>
      <CopyButton text={text} what={what} />
    </Box>
  );
}

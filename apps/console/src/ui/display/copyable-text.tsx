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

/** Shows a whole URL with a copy button. */
export function LinkToCopy({ link, what }: { link: string; what: string }) {
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        pl: 1.5,
        pr: 0.5,
        py: 0.5,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0, fontSize: '0.8125rem' }}>
        <Mono>{link}</Mono>
      </Box>
      <CopyButton text={link} what={what} />
    </Box>
  );
}

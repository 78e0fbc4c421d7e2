import Box from '@mui/material/Box';

/** A text as it was written, with its lines. */
export function PlainText({ children }: { children: string }) {
  return <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', lineHeight: 1.6 }}>{children}</Box>;
}

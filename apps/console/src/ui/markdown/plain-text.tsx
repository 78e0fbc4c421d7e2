import Box from '@mui/material/Box';

/** Pieces of whole lines where possible. */
const pieces = /[^]{1,4000}(?:\n|$)|[^]{4000}/g;

/** Shows a text with its line breaks. It is split, so that the browser lays out only the visible pieces. */
export function PlainText({ children }: { children: string }) {
  return (
    <Box sx={look}>
      {[...children.matchAll(pieces)].map(({ 0: piece, index: at }) => (
        <div key={at}>{piece}</div>
      ))}
    </Box>
  );
}

const look = {
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  lineHeight: 1.6,
  '& > *': { contentVisibility: 'auto', containIntrinsicBlockSize: 'auto 400px' },
} as const;

import Box from '@mui/material/Box';

/** Whole lines where there are any. */
const pieces = /[^]{1,4000}(?:\n|$)|[^]{4000}/g;

/** A text as it was written, with its lines. In pieces, so that the browser lays out only those in sight. */
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

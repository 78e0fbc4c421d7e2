import Box from '@mui/material/Box';
import { Fragment, type ReactNode } from 'react';

export type DescriptionEntry = readonly [name: string, value: ReactNode];

/** Shows names and values of a record in two columns. */
export function DescriptionList({ facts }: { facts: readonly DescriptionEntry[] }) {
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: 'minmax(110px, auto) 1fr',
        columnGap: 2,
        rowGap: 1,
        m: 0,
        fontSize: '0.8125rem',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <Box component="dt" sx={{ color: 'text.secondary' }}>
            {name}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </Fragment>
      ))}
    </Box>
  );
}

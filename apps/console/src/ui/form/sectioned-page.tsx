import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { type IndexedSection, SectionIndex } from './section-index.tsx';

interface SectionedPageProps {
  sections: readonly IndexedSection[];
  /** The sections' cards. */
  children: ReactNode;
}

/** A long page of cards with their index beside them. */
export function SectionedPage({ sections, children }: SectionedPageProps) {
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: 'minmax(0, 760px)', lg: '180px minmax(0, 760px)' },
        columnGap: 3,
      }}
    >
      <SectionIndex sections={sections} />
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>{children}</Box>
    </Box>
  );
}

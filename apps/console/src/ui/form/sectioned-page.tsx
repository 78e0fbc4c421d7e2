import Box from '@mui/material/Box';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { type IndexedSection, SectionIndex } from './section-index.tsx';

interface SectionedPageProps {
  sections: readonly IndexedSection[];
  /** The sections' cards. */
  children: ReactNode;
}

/** A long page of cards with their index beside them; the address can name one. */
export function SectionedPage({ sections, children }: SectionedPageProps) {
  useNamedSection();
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

/** The router looks for it before the screen's words have arrived, and with them the cards. */
function useNamedSection() {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView({ block: 'start' });
  }, [hash]);
}

import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface SectionedPageProps {
  sections: readonly IndexedSection[];
  /** Cards of the sections. */
  children: ReactNode;
}

/** Renders a long page of cards with an index beside them. The URL's fragment can name a section. */
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

/** Scrolls to the section in the URL, since the router tries that before the cards have loaded. */
function useNamedSection() {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView({ block: 'start' });
  }, [hash]);
}

interface IndexedSection {
  /** Id of the section's card. */
  id: string;
  title: string;
  /** True if the section contains an error. */
  wrong?: boolean;
}

/** Renders the index of a long form on wide screens; the visible section is marked. */
function SectionIndex({ sections }: { sections: readonly IndexedSection[] }) {
  const { t } = useTranslation();
  const current = useSectionInSight(sections.map(({ id }) => id).join(' '));
  return (
    <Box
      component="nav"
      aria-label={t('form.sections')}
      sx={{ display: { xs: 'none', lg: 'grid' }, gap: 0.25, position: 'sticky', top: 104, alignSelf: 'start' }}
    >
      {sections.map(({ id, title, wrong = false }) => (
        <ButtonBase
          key={id}
          aria-current={id === current ? 'true' : undefined}
          onClick={() => document.getElementById(id)?.scrollIntoView({ block: 'start' })}
          sx={{
            justifyContent: 'space-between',
            minHeight: 32,
            px: 1.5,
            borderRadius: 1,
            fontSize: '0.8125rem',
            textAlign: 'start',
            color: id === current ? 'text.primary' : 'text.secondary',
            fontWeight: id === current ? 500 : 400,
            bgcolor: id === current ? 'neutral.soft' : 'transparent',
            '&:hover': { color: 'text.primary' },
          }}
        >
          {title}
          {wrong && (
            <Box
              component="span"
              aria-hidden
              sx={{ width: 6, height: 6, borderRadius: '50%', bgcolor: 'error.main' }}
            />
          )}
        </ButtonBase>
      ))}
    </Box>
  );
}

/** Returns the id of the first section in the upper half of the window. */
function useSectionInSight(ids: string): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const cards = ids.split(' ').flatMap((id) => document.getElementById(id) ?? []);
    const inSight = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inSight.add(target);
          else inSight.delete(target);
        }
        setCurrent(cards.find((card) => inSight.has(card))?.id);
      },
      { rootMargin: '-96px 0px -50% 0px' },
    );
    for (const card of cards) observer.observe(card);
    return () => observer.disconnect();
  }, [ids]);
  return current;
}

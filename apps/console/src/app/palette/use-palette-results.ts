import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { mayAccess } from '../../access.ts';
import { useSelf } from '../../features/accounts/session/queries.ts';
import { useDebounced } from '../../ui/browser/use-debounced.ts';
import type { PaletteResult } from '../../ui/overlays/palette-result.ts';
import { isDestination, screenPath, screens } from '../screens.ts';
import { creations } from './creations.ts';
import { paletteSources } from './palette-sources.ts';

export interface PaletteSection {
  heading: string;
  results: PaletteResult[];
}

/** Screens and new things whose name contains the text, then what the features find. */
export function usePaletteResults(text: string): { sections: PaletteSection[]; searching: boolean } {
  const { t } = useTranslation('shell');
  const self = useSelf();
  const asked = useDebounced(text.trim(), 200);
  const sources = paletteSources.filter((source) => mayAccess(self, source.access));
  const answers = useQueries({
    queries: sources.map((source) => ({
      queryKey: ['palette', source.heading, asked],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.find(asked, signal),
      enabled: asked.length >= 2,
      retry: false,
    })),
  });
  const wanted = text.trim().toLowerCase();
  const pages = screens
    .filter((screen) => isDestination(screen) && mayAccess(self, screen.access))
    .map((screen) => ({
      id: screen.path,
      title: t(`screen.${screen.title}`),
      detail: t(`group.${screen.group}`),
      to: screenPath(screen),
    }))
    .filter((page) => page.title.toLowerCase().includes(wanted) || page.id.includes(wanted));
  const made = creations
    .filter((creation) => mayAccess(self, creation.access))
    .map(({ title, access: _access, ...target }) => ({
      id: `new ${title}`,
      title: t(`palette.create.${title}`),
      ...target,
    }))
    .filter((creation) => creation.title.toLowerCase().includes(wanted));
  const found = sources.map((source, index) => ({
    heading: t(`screen.${source.heading}`),
    results: asked.length >= 2 ? (answers[index]?.data ?? []) : [],
  }));
  return {
    sections: [
      { heading: t('palette.screens'), results: pages },
      { heading: t('palette.new'), results: made },
      ...found,
    ].filter(({ results }) => results.length > 0),
    searching: answers.some(({ isFetching }) => isFetching),
  };
}

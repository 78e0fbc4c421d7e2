import { lazy, Suspense, useEffect } from 'react';
import { openPalette, usePaletteOpen } from './command-palette-open-state.ts';

const PaletteDialog = lazy(() =>
  import('./command-palette-dialog.tsx').then(({ PaletteDialog }) => ({ default: PaletteDialog })),
);

/** Opens the command palette on Ctrl+K or ⌘K anywhere in the panel. */
export function CommandPalette() {
  const open = usePaletteOpen();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      openPalette(true);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      openPalette(false);
    };
  }, []);
  if (!open) return null;
  return (
    <Suspense fallback={null}>
      <PaletteDialog />
    </Suspense>
  );
}

import { type ReactNode, Suspense, useState } from 'react';

/** Mounts what opens over the screen when it is first opened, so that its code loads then, and keeps it for its closing. */
export function LazyOverlay({ open, children }: { open: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened ? <Suspense fallback={null}>{children}</Suspense> : null;
}

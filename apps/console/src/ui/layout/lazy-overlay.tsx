import { type ReactNode, Suspense, useState } from 'react';

/** Mounts an overlay on its first opening, when its code loads, and keeps it for the closing animation. */
export function LazyOverlay({ open, children }: { open: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened ? <Suspense fallback={null}>{children}</Suspense> : null;
}

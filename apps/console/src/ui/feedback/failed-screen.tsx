import { lazy, Suspense } from 'react';
import { isOutdated } from './outdated.ts';
import { OutdatedPanel } from './outdated-panel.tsx';

const ErrorPanel = lazy(() =>
  import('./error-panel.tsx').then(({ ErrorPanel }) => ({ default: ErrorPanel })),
);

/** A failure in the place of a screen. When the server has other files by now, only a reload helps. */
export function FailedScreen({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (isOutdated(error)) return <OutdatedPanel />;
  return (
    <Suspense fallback={null}>
      <ErrorPanel error={error} onRetry={onRetry} />
    </Suspense>
  );
}

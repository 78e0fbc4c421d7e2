import { useMay } from '../features/accounts/session/queries.ts';
import { usePathname } from '../ui/browser/use-pathname.ts';
import { ErrorBoundary } from '../ui/feedback/error-boundary.tsx';
import { NotAllowed } from './not-allowed.tsx';
import { type Screen, screenPath } from './screens.ts';

/** The screen for those who may see it, the 403 screen for others. */
export function guarded(screen: Screen): Screen['component'] {
  const Content = screen.component;
  const Guarded = () => {
    const allowed = useMay(screen.access);
    const pathname = usePathname();
    if (!allowed) return <NotAllowed path={screenPath(screen)} />;
    return (
      <ErrorBoundary resetKey={pathname}>
        <Content />
      </ErrorBoundary>
    );
  };
  return Object.assign(Guarded, { preload: () => Content.preload?.() });
}

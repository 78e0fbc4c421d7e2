import Box from '@mui/material/Box';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { ErrorBoundary } from './error-boundary.tsx';
import { currentToasts, subscribeToasts } from './toasts.ts';

const ToastCard = lazy(() => import('./toast-card.tsx').then(({ ToastCard }) => ({ default: ToastCard })));

/**
 * Shows the toasts at the top right, on phones at the bottom. The element exists only while there are toasts:
 * a dialog hides everything from assistive technology that exists when it opens.
 */
export function ToastStack() {
  const notices = useSyncExternalStore(subscribeToasts, currentToasts);
  if (notices.length === 0) return null;
  return createPortal(
    <Box
      sx={{
        position: 'fixed',
        zIndex: 'snackbar',
        top: { sm: 16 },
        right: { xs: 12, sm: 16 },
        bottom: { xs: 16, sm: 'auto' },
        left: { xs: 12, sm: 'auto' },
        width: { sm: 380 },
        display: 'grid',
        gap: 1,
      }}
    >
      <ErrorBoundary>
        <Suspense fallback={null}>
          {notices.map((notice) => (
            <ToastCard key={notice.id} notice={notice} />
          ))}
        </Suspense>
      </ErrorBoundary>
    </Box>,
    document.body,
  );
}

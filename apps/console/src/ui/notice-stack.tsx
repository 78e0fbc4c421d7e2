import Box from '@mui/material/Box';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { ErrorBoundary } from './error-boundary.tsx';
import { currentNotices, subscribeNotices } from './notices.ts';
import { topBarHeight } from './tokens.ts';

const NoticeCard = lazy(() =>
  import('./notice-card.tsx').then(({ NoticeCard }) => ({ default: NoticeCard })),
);

/**
 * The notices on the screen: at the right under the top bar, on phones at the bottom. They come into the document when there are any: what
 * stands there when a dialog opens is hidden from assistive technology.
 */
export function NoticeStack() {
  const notices = useSyncExternalStore(subscribeNotices, currentNotices);
  if (notices.length === 0) return null;
  return createPortal(
    <Box
      sx={{
        position: 'fixed',
        zIndex: 'snackbar',
        // Under the top bar: what stands there stays within reach.
        top: { sm: `${topBarHeight.phone + 8}px`, md: `${topBarHeight.wide + 8}px` },
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
            <NoticeCard key={notice.id} notice={notice} />
          ))}
        </Suspense>
      </ErrorBoundary>
    </Box>,
    document.body,
  );
}

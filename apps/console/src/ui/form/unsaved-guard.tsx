import { useBlocker } from '@tanstack/react-router';
import { LeaveQuestion } from '../overlays/leave-question.tsx';
import { useHoldUnsaved } from '../overlays/unsaved.ts';

/** Asks before unsaved changes are lost by leaving the screen or the tab. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
  useHoldUnsaved(dirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <LeaveQuestion
      open={blocker.status === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onStay={() => blocker.reset?.()}
    />
  );
}

import { useBlocker } from '@tanstack/react-router';
import { LeaveConfirmation } from '../overlays/leave-confirmation.tsx';
import { useTrackUnsavedInput } from '../overlays/unsaved-input.ts';

/** Asks before unsaved changes are lost by leaving the screen or the tab. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
  useTrackUnsavedInput(dirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <LeaveConfirmation
      open={blocker.status === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onStay={() => blocker.reset?.()}
    />
  );
}

import { lazy, Suspense, useEffect, useState } from 'react';
import { setStepUpDialog } from '../../ui/overlays/with-step-up.ts';

const ConfirmIdentityDialog = lazy(() =>
  import('./step-up-challenge-dialog.tsx').then(({ ConfirmIdentityDialog }) => ({ default: ConfirmIdentityDialog })),
);

type Answer = (confirmed: boolean) => void;

/** Opens the identity dialog when a call needs a recent confirmation. */
export function StepUpDialog() {
  const [answer, setAnswer] = useState<{ tell: Answer }>();
  useEffect(() => setStepUpDialog(() => new Promise((resolve) => setAnswer({ tell: resolve }))), []);
  if (answer === undefined) return null;
  const close = (confirmed: boolean) => {
    setAnswer(undefined);
    answer.tell(confirmed);
  };
  return (
    <Suspense fallback={null}>
      <ConfirmIdentityDialog onClose={close} />
    </Suspense>
  );
}

import { lazy, Suspense, useEffect, useState } from 'react';
import { onStepUp } from '../ui/step-up.ts';

const PasswordDialog = lazy(() =>
  import('./password-dialog.tsx').then(({ PasswordDialog }) => ({ default: PasswordDialog })),
);

type Answer = (confirmed: boolean) => void;

/** Asks for the password when a call needs a recent check of it. */
export function StepUpDialog() {
  const [answer, setAnswer] = useState<{ tell: Answer }>();
  useEffect(() => onStepUp(() => new Promise((resolve) => setAnswer({ tell: resolve }))), []);
  if (answer === undefined) return null;
  const close = (confirmed: boolean) => {
    setAnswer(undefined);
    answer.tell(confirmed);
  };
  return (
    <Suspense fallback={null}>
      <PasswordDialog onClose={close} />
    </Suspense>
  );
}

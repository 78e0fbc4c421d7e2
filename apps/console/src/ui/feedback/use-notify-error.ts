import { useCallback } from 'react';
import { StepUpCancelled } from '../overlays/with-step-up.ts';
import { requestIdOf, useErrorText } from './use-error-text.ts';
import { notify } from './toasts.ts';

/** Reports a failure: our sentence for its code and, where there is one, the request id. */
export function useNotifyError(): (error: unknown) => void {
  const sentence = useErrorText();
  return useCallback(
    (error: unknown) => {
      if (error instanceof StepUpCancelled) return;
      notify('error', sentence(error), { detail: requestIdOf(error) });
    },
    [sentence],
  );
}

import { ApiError } from '@switchyard/contract/http-exchange';

type Ask = () => Promise<boolean>;
let ask: Ask = () => Promise.resolve(false);

/** Registers the dialog that confirms the user's identity and resolves with the result. */
export function setStepUpDialog(dialog: Ask): () => void {
  ask = dialog;
  return () => {
    ask = () => Promise.resolve(false);
  };
}

/** Error after the user closed the confirmation dialog; it needs no message. */
export class StepUpCancelled extends Error {}

/**
 * Runs a sensitive call; if the server requires a confirmation, asks for it and repeats the call.
 * @throws StepUpCancelled when the user does not confirm
 */
export async function withStepUp<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'step-up-required') throw error;
    if (!(await ask())) throw new StepUpCancelled();
    return call();
  }
}

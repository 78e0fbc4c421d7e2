import { ApiError } from '@switchyard/contract/http-exchange';

type Ask = () => Promise<boolean>;
let ask: Ask = () => Promise.resolve(false);

/** The app gives the dialog that asks who is there; it answers whether that was proven. */
export function setStepUpDialog(dialog: Ask): () => void {
  ask = dialog;
  return () => {
    ask = () => Promise.resolve(false);
  };
}

/** The user closed the question; nothing happened and nothing needs to be said. */
export class StepUpCancelled extends Error {}

/**
 * Runs a sensitive call; if the server wants a confirmation first, asks for it and runs the call again.
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

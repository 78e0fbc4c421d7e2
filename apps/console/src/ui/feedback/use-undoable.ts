import { notify } from './toasts.ts';
import { useNotifyError } from './use-error-text.ts';

interface UndoableChange<Input, Output> {
  send: (input: Input) => Promise<Output>;
  to: Input;
  /** Returns the input that undoes the change, from its response. */
  back: (done: Output) => Input;
  /** Text of the success toast. */
  done: string;
}

/** Returns a function that makes a change and shows a toast with an undo button, or the error. */
export function useUndoable() {
  const notifyError = useNotifyError();
  return async <Input, Output>({ send, to, back, done }: UndoableChange<Input, Output>): Promise<void> => {
    try {
      const answer = await send(to);
      notify('success', done, { undo: () => void send(back(answer)).catch(notifyError) });
    } catch (error) {
      notifyError(error);
    }
  };
}

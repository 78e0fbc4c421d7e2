import { notify } from './toasts.ts';
import { useNotifyError } from './use-error-text.ts';

interface UndoableChange<Input, Output> {
  send: (input: Input) => Promise<Output>;
  to: Input;
  /** Creates the input that undoes the change, from the response to it. */
  back: (done: Output) => Input;
  /** The sentence that says it is done. */
  done: string;
}

/** Makes a change and says so, with a button that takes it back; when it fails, says why. */
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

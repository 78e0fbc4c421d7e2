import { notify } from './notices.ts';
import { useNotifyError } from './use-notify-error.ts';

interface UndoableChange<Input> {
  send: (input: Input) => Promise<unknown>;
  to: Input;
  back: Input;
  /** The sentence that says it is done. */
  done: string;
}

/** Makes a change and says so, with a button that takes it back; when it fails, says why. */
export function useUndoable() {
  const notifyError = useNotifyError();
  return async <Input>({ send, to, back, done }: UndoableChange<Input>): Promise<void> => {
    try {
      await send(to);
    } catch (error) {
      notifyError(error);
      return;
    }
    notify('success', done, { undo: () => void send(back).catch(notifyError) });
  };
}

import { type FormEvent, useState } from 'react';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';

const DIGITS = 6;

export interface CodeEntry {
  code: string;
  setCode: (typed: string) => void;
  /** A recovery code is typed instead of the app's digits. */
  recovery: boolean;
  switchKind: () => void;
  busy: boolean;
  problem: string | undefined;
  ready: boolean;
  submit: (event: FormEvent) => void;
}

/**
 * A code that is being typed. The app's sixth digit sends it by itself; a refused code makes room for the next.
 * @param send what it throws is shown at the field
 */
export function useCodeEntry(send: (code: string) => Promise<void>): CodeEntry {
  const sentence = useErrorText();
  const [code, setTyped] = useState('');
  const [recovery, setRecovery] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const attempt = async (text: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await send(text);
    } catch (error) {
      setProblem(sentence(error));
      setTyped('');
    } finally {
      setBusy(false);
    }
  };
  const setCode = (typed: string) => {
    const text = recovery ? typed : typed.replaceAll(/\D/g, '').slice(0, DIGITS);
    setTyped(text);
    if (!recovery && text.length === DIGITS && text !== code && !busy) void attempt(text);
  };
  const ready = code.trim().length >= DIGITS;
  return {
    code,
    setCode,
    recovery,
    switchKind: () => {
      setRecovery(!recovery);
      setTyped('');
      setProblem(undefined);
    },
    busy,
    problem,
    ready,
    submit: (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (ready && !busy) void attempt(code.trim());
    },
  };
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';

/** Shows the field for a code, with a switch to recovery codes where they are accepted. */
export function CodeFields({ entry, recoverable }: { entry: CodeEntry; recoverable: boolean }) {
  const { t } = useTranslation('second-factor');
  const { code, setCode, recovery, switchKind, problem } = entry;
  const digits = { inputMode: 'numeric', autoComplete: 'one-time-code' } as const;
  const text = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
  return (
    <Box>
      <FieldFrame
        label={t(recovery ? 'recoveryCode' : 'code')}
        hint={t(recovery ? 'recoveryCodeHint' : 'codeHint')}
        error={problem}
      >
        {({ id, describedBy }) => (
          <OutlinedInput
            key={String(recovery)}
            id={id}
            fullWidth
            autoFocus
            value={code}
            onChange={({ target }) => setCode(target.value)}
            error={problem !== undefined}
            inputProps={{ ...(recovery ? text : digits), 'aria-describedby': describedBy }}
            sx={{ fontFamily: monoFont, '& input': { letterSpacing: recovery ? 0 : '0.3em' } }}
          />
        )}
      </FieldFrame>
      {recoverable && (
        <Button size="small" sx={{ mt: 1, ml: -1.25, minHeight: { xs: 40, sm: 28 } }} onClick={switchKind}>
          {t(recovery ? 'useApp' : 'useRecoveryCode')}
        </Button>
      )}
    </Box>
  );
}

const DIGITS = 6;

interface CodeEntry {
  code: string;
  setCode: (typed: string) => void;
  /** True if a recovery code is entered instead of a code from the app. */
  recovery: boolean;
  switchKind: () => void;
  busy: boolean;
  problem: string | undefined;
  ready: boolean;
  submit: (event: FormEvent) => void;
}

/**
 * Manages the input of a code. The sixth digit submits it; an error clears the field.
 * @param send submits the code; the field shows the error that it throws
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

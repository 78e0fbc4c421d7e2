import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { monoFont } from '../../../ui/theme/fonts.ts';
import type { CodeEntry } from './use-code-entry.ts';

/** The field of a code; with a way to a recovery code where one can be used. */
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

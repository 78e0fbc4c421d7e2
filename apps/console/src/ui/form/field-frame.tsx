import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import Tooltip from '@mui/material/Tooltip';
import { IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';

export interface FieldTexts {
  label: string;
  /** Behind a "?" beside the label. */
  help?: string | undefined;
  /** Always under the field, for what must be known while typing. */
  hint?: string | undefined;
}

interface FieldFrameProps extends FieldTexts {
  error: string | undefined;
  children: (ids: { id: string; describedBy: string | undefined }) => ReactNode;
}

/** Label above, field, and beneath it what is wrong or worth knowing. */
export function FieldFrame({ label, help, hint, error, children }: FieldFrameProps) {
  const id = useId();
  const below = error ?? hint;
  const belowId = `${id}-below`;
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, mb: 0.5 }}>
        <Box component="label" htmlFor={id} sx={{ fontSize: '0.8125rem', fontWeight: 500 }}>
          {label}
        </Box>
        {help !== undefined && <Help text={help} />}
      </Box>
      {children({ id, describedBy: below === undefined ? undefined : belowId })}
      {below !== undefined && (
        <FormHelperText id={belowId} error={error !== undefined} sx={{ mx: 0 }}>
          {below}
        </FormHelperText>
      )}
    </Box>
  );
}

export function Help({ text }: { text: string }) {
  return (
    <Tooltip title={text} enterTouchDelay={0}>
      <Box
        component="span"
        tabIndex={0}
        role="img"
        aria-label={text}
        sx={{ lineHeight: 0, color: 'text.secondary', cursor: 'help' }}
      >
        <IconHelpCircle size={15} />
      </Box>
    </Tooltip>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useNotifyError } from '../feedback/use-error-text.ts';

interface NameFormProps {
  label: string;
  verb: string;
  start?: string;
  disabled?: boolean;
  onSave: (name: string) => Promise<unknown>;
}

/** Edits a name that is saved on submit. */
export function NameForm({ label, verb, start = '', disabled = false, onSave }: NameFormProps) {
  const notifyError = useNotifyError();
  const [name, setName] = useState(start);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await onSave(name.trim());
      setName('');
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '' && !busy) void save();
      }}
      sx={{ display: 'flex', gap: 1, pt: 1 }}
    >
      <TextField
        autoFocus
        fullWidth
        size="small"
        label={label}
        value={name}
        disabled={disabled}
        onChange={(event) => setName(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 64, autoComplete: 'off' } }}
      />
      <Button type="submit" variant="contained" loading={busy} disabled={disabled || name.trim() === ''}>
        {verb}
      </Button>
    </Box>
  );
}

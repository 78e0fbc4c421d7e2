import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import Popover from '@mui/material/Popover';
import { IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../i18n/bidi.ts';

interface TextFilterChipProps {
  label: string;
  /** Text that the chip shows instead of the value, for instance the name of an id. */
  shown?: string | undefined;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** True if the input is open at first, for a filter that was just added. */
  startOpen?: boolean;
  /** Callback when the input is closed without a value. */
  onAbandon?: () => void;
}

/** Renders a filter with a text value: "User: ada ✕". */
export function TextFilterChip(props: TextFilterChipProps) {
  const { label, shown, value, onChange, startOpen = false, onAbandon } = props;
  const { t } = useTranslation();
  const anchor = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(startOpen);
  const [text, setText] = useState(value ?? '');
  const close = () => {
    setOpen(false);
    if (value === undefined) onAbandon?.();
  };
  const apply = () => {
    setOpen(false);
    const typed = text.trim();
    if (typed === '') onAbandon?.();
    if (typed !== (value ?? '')) onChange(typed === '' ? undefined : typed);
  };
  return (
    <>
      <Box
        ref={anchor}
        sx={{
          display: 'inline-flex',
          alignItems: 'center',
          height: { xs: 40, md: 30 },
          borderRadius: 999,
          fontSize: '0.8125rem',
          bgcolor: 'primary.soft',
          color: 'primary.onSoft',
          maxWidth: 260,
        }}
      >
        <ButtonBase
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => {
            setText(value ?? '');
            setOpen(true);
          }}
          sx={{ height: '100%', pl: 1.25, pr: 0.5, borderRadius: 999, minWidth: 0 }}
        >
          <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
            {value === undefined ? label : `${label}: ${isolateBidi(shown ?? value)}`}
          </Box>
        </ButtonBase>
        <IconButton
          size="small"
          color="inherit"
          aria-label={t('filter.remove', { label })}
          onClick={() => (value === undefined ? onAbandon?.() : onChange(undefined))}
          sx={{ p: 0.5, mr: 0.25, borderRadius: 999 }}
        >
          <IconX size={14} />
        </IconButton>
      </Box>
      <Popover
        open={open}
        anchorEl={() => anchor.current}
        onClose={close}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { 'aria-label': label, role: 'dialog' } }}
      >
        <Box
          component="form"
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
          sx={{ display: 'flex', gap: 1, p: 1.5 }}
        >
          <OutlinedInput
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
            inputProps={{ 'aria-label': label, autoComplete: 'off', spellCheck: false }}
            sx={{ width: 240 }}
          />
          <Button type="submit" variant="contained">
            {t('filter.apply')}
          </Button>
        </Box>
      </Popover>
    </>
  );
}

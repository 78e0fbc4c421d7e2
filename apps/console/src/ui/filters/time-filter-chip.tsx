import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';
import { localText, parseLocal } from '../inputs/date-time-input.tsx';
import { toOptions } from '../inputs/select-options.ts';
import { oneOf } from '../table/url-list-state.ts';
import { FilterChip } from './filter-chip.tsx';
import { useSetSearchParams } from './search-params.ts';
import { type TimeTexts, timePresets } from './time-presets.ts';

/** Renders the time filter of the URL: presets and, in a dialog, a custom range. */
export function TimeChip({ value }: { value: TimeTexts }) {
  const { t } = useTranslation();
  const setParams = useSetSearchParams();
  const change = ({ time, start_timestamp, end_timestamp }: TimeTexts) =>
    setParams({ time, start_timestamp, end_timestamp, page: undefined });
  const [asking, setAsking] = useState(false);
  const custom = customWords(useFormat(), value);
  const preset = oneOf(value.time, timePresets);
  const chosen = preset ?? (custom === undefined ? undefined : 'custom');
  return (
    <>
      <FilterChip
        label={t('time.label')}
        value={chosen}
        options={[
          ...toOptions(timePresets, (name) => t(`time.preset.${name}`)),
          { value: 'custom', label: custom ?? t('time.preset.custom') },
        ]}
        onChange={(next) => (next === 'custom' ? setAsking(true) : change({ time: next }))}
      />
      {asking && (
        <TimeDialog
          value={value}
          onClose={() => setAsking(false)}
          onChange={(next) => {
            setAsking(false);
            change(next);
          }}
        />
      )}
    </>
  );
}

function customWords(format: ReturnType<typeof useFormat>, value: TimeTexts): string | undefined {
  const { start_timestamp: start, end_timestamp: end } = value;
  if (start === undefined && end === undefined) return undefined;
  const words = (text: string | undefined) => (text === undefined ? '…' : format.shortMoment(Number(text)));
  return `${words(start)} – ${words(end)}`;
}

interface TimeDialogProps {
  value: TimeTexts;
  onChange: (value: TimeTexts) => void;
  onClose: () => void;
}

function TimeDialog({ value, onChange, onClose }: TimeDialogProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const field = (text: string | undefined) => (text === undefined ? '' : localText(Number(text)));
  const [start, setStart] = useState(field(value.start_timestamp));
  const [end, setEnd] = useState(field(value.end_timestamp));
  const backwards = start !== '' && end !== '' && start > end;
  const apply = () => onChange({ start_timestamp: secondsText(start), end_timestamp: secondsText(end) });
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('time.label')}</DialogTitle>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!backwards) apply();
        }}
      >
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <MomentField label={t('time.from')} value={start} onChange={setStart} />
          <MomentField
            label={t('time.to')}
            value={end}
            onChange={setEnd}
            error={backwards ? t('time.backwards') : undefined}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} color="inherit">
            {t('cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={backwards}>
            {t('filter.apply')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface MomentFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

function MomentField({ label, value, onChange, error }: MomentFieldProps) {
  return (
    <TextField
      type="datetime-local"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={error !== undefined}
      helperText={error}
      sx={{ mt: 1 }}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}

function secondsText(local: string): string | undefined {
  const seconds = parseLocal(local);
  return seconds === undefined ? undefined : String(seconds);
}

import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../ui/data-table/list-state.ts';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { localText, parseLocal } from '../../ui/form/moment-input.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { timePresets } from './record-filter.ts';

interface TimeChoice {
  time?: string | undefined;
  start_timestamp?: string | undefined;
  end_timestamp?: string | undefined;
}

interface TimeChipProps {
  value: TimeChoice;
  onChange: (value: TimeChoice) => void;
}

/** When: the usual stretches and, in a dialog, any other. */
export function TimeChip({ value, onChange }: TimeChipProps) {
  const { t } = useTranslation('usage-records');
  const [asking, setAsking] = useState(false);
  const custom = customWords(useFormat(), value);
  const preset = oneOf(value.time, timePresets);
  const chosen = preset ?? (custom === undefined ? undefined : 'custom');
  return (
    <>
      <FilterChip
        label={t('time')}
        value={chosen}
        options={[
          ...timePresets.map((name) => ({ value: name, label: t(`preset.${name}`) })),
          { value: 'custom', label: custom ?? t('preset.custom') },
        ]}
        onChange={(next) => (next === 'custom' ? setAsking(true) : onChange({ time: next }))}
      />
      {asking && (
        <TimeDialog
          value={value}
          onClose={() => setAsking(false)}
          onChange={(next) => {
            setAsking(false);
            onChange(next);
          }}
        />
      )}
    </>
  );
}

function customWords(format: ReturnType<typeof useFormat>, value: TimeChoice): string | undefined {
  const { start_timestamp: start, end_timestamp: end } = value;
  if (start === undefined && end === undefined) return undefined;
  const words = (text: string | undefined) => (text === undefined ? '…' : format.shortMoment(Number(text)));
  return `${words(start)} – ${words(end)}`;
}

function TimeDialog({ value, onChange, onClose }: TimeChipProps & { onClose: () => void }) {
  const { t } = useTranslation(['usage-records', 'common']);
  const titleId = useId();
  const field = (text: string | undefined) => (text === undefined ? '' : localText(Number(text)));
  const [start, setStart] = useState(field(value.start_timestamp));
  const [end, setEnd] = useState(field(value.end_timestamp));
  const backwards = start !== '' && end !== '' && start > end;
  const apply = () => onChange({ start_timestamp: secondsText(start), end_timestamp: secondsText(end) });
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('time')}</DialogTitle>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!backwards) apply();
        }}
      >
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <MomentField label={t('from')} value={start} onChange={setStart} />
          <MomentField
            label={t('to')}
            value={end}
            onChange={setEnd}
            error={backwards ? t('backwards') : undefined}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} color="inherit">
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={backwards}>
            {t('common:filter.apply')}
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

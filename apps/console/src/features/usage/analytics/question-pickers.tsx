import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { dimensions, measures } from '@switchyard/contract/usage/analytics';
import { useTranslation } from 'react-i18next';
import type { Option } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { NO_SPLIT, questionOf, stepsFor, tops, usualMeasure, usualSplit } from './question.ts';

/** Chooses the measure, the dimension, the time step, and how many values get a row of their own. */
export function QuestionPickers() {
  const { t } = useTranslation('analytics');
  const search = useSearchParams();
  const set = useSetSearchParams();
  const question = questionOf(search);
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 220px))' },
      }}
    >
      <Picker
        label={t('measureLabel')}
        value={question.measure ?? usualMeasure}
        options={measures.map((value) => ({ value, label: t(`measure.${value}`) }))}
        onChange={(value) =>
          set({ measure: value === usualMeasure ? undefined : value, order: undefined, page: undefined })
        }
      />
      <Picker
        label={t('splitBy')}
        value={question.split ?? NO_SPLIT}
        options={[
          ...dimensions.map((value) => ({ value, label: t(`dimension.${value}`) })),
          { value: NO_SPLIT, label: t('noSplit') },
        ]}
        onChange={(value) =>
          set({ split: value === usualSplit ? undefined : value, order: undefined, page: undefined })
        }
      />
      <Picker
        label={t('step')}
        value={question.step ?? 'day'}
        options={stepsFor(question).map((value) => ({ value, label: t(`stepName.${value}`) }))}
        onChange={(value) => set({ step: value })}
      />
      <Picker
        label={t('rows')}
        value={String(question.top)}
        options={tops.map((top) => ({ value: String(top), label: t('topName', { count: top }) }))}
        onChange={(value) => set({ top: value === '10' ? undefined : value })}
      />
    </Box>
  );
}

interface PickerProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

function Picker({ label, value, options, onChange }: PickerProps) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}

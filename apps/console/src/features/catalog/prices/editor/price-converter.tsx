import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FoldedSection } from '../../../../ui/form/form-section.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { useYuanPerUsd } from '../../../site/site/queries.ts';
import { type EntryUnit, entryUnits, usdPerMillion } from './price-entry.ts';

/** Takes a price as a vendor or another gateway states it, and puts it into the form in dollars. */
export function PriceConverter({ onUse }: { onUse: (field: 'input' | 'output', usd: number) => void }) {
  const { t } = useTranslation('prices');
  const { exactUsd, number } = useFormat();
  const yuan = useYuanPerUsd();
  const [typed, setTyped] = useState('');
  const [unit, setUnit] = useState<EntryUnit>('ratio');
  const usd = usdPerMillion(typed, unit, yuan);
  return (
    <FoldedSection title={t('converter')} changed={0}>
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1 }}>
        <TextField
          size="small"
          label={t('amount')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={typed !== '' && usd === undefined}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        />
        <TextField
          select
          size="small"
          label={t('entryUnit')}
          value={unit}
          onChange={(event) => setUnit(entryUnits.find((name) => name === event.target.value) ?? 'ratio')}
        >
          {entryUnits.map((name) => (
            <MenuItem key={name} value={name}>
              {t(`entry.${name}`)}
            </MenuItem>
          ))}
        </TextField>
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, fontSize: '0.8125rem' }}>
        <Box component="output" sx={{ flexGrow: 1, fontVariantNumeric: 'tabular-nums' }}>
          {usd === undefined
            ? t('converterHint', { rate: number(yuan, 4) })
            : `${exactUsd(usd)} ${t('perMillion')}`}
        </Box>
        {(['input', 'output'] as const).map((field) => (
          <Button
            key={field}
            size="small"
            variant="outlined"
            disabled={usd === undefined}
            onClick={() => usd !== undefined && onUse(field, usd)}
          >
            {t(`useAs.${field}`)}
          </Button>
        ))}
      </Box>
    </FoldedSection>
  );
}

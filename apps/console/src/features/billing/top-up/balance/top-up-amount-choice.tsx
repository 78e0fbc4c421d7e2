import Box from '@mui/material/Box';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import ToggleButton from '@mui/material/ToggleButton';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../../ui/display/status-and-tag-chips.tsx';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import type { Discounts } from './top-up-amounts-and-discounts.ts';

interface AmountChoiceProps {
  amounts: readonly number[];
  discounts: Discounts;
  /** Entered or chosen text; whole USD when it is valid. */
  text: string;
  /** Error message in the user's language. */
  problem: string | undefined;
  onChange: (text: string) => void;
}

export function AmountChoice({ amounts, discounts, text, problem, onChange }: AmountChoiceProps) {
  const { t } = useTranslation('top-up');
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      <Box
        role="group"
        aria-label={t('amounts')}
        sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(112px, 1fr))' }}
      >
        {amounts.map((amount) => (
          <AmountButton
            key={amount}
            amount={amount}
            factor={discounts.get(amount) ?? 1}
            chosen={text.trim() === String(amount)}
            onChoose={() => onChange(String(amount))}
          />
        ))}
      </Box>
      <Box sx={{ maxWidth: 320 }}>
        <FieldFrame label={t('otherAmount')} help={t('wholeDollars')} error={problem}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              value={text}
              onChange={(event) => onChange(event.target.value)}
              error={problem !== undefined}
              autoComplete="off"
              inputProps={{ inputMode: 'numeric', 'aria-describedby': describedBy, maxLength: 20 }}
              startAdornment={<InputAdornment position="start">$</InputAdornment>}
            />
          )}
        </FieldFrame>
      </Box>
    </Box>
  );
}

interface AmountButtonProps {
  amount: number;
  factor: number;
  chosen: boolean;
  onChoose: () => void;
}

function AmountButton({ amount, factor, chosen, onChoose }: AmountButtonProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <ToggleButton
      value={amount}
      selected={chosen}
      onChange={onChoose}
      color="primary"
      sx={{
        flexDirection: 'column',
        gap: 0.5,
        minHeight: 64,
        borderRadius: 1,
        textTransform: 'none',
        color: 'text.primary',
        '&.Mui-selected': { borderColor: 'primary.main', color: 'primary.onSoft', bgcolor: 'primary.soft' },
      }}
    >
      <Box component="span" sx={{ fontSize: '1rem', fontWeight: 600 }}>
        ${format.number(amount)}
      </Box>
      {factor < 1 && (
        <StatusChip tone="success" dot={false}>
          {t('discounted', { value: format.discount(factor) })}
        </StatusChip>
      )}
    </ToggleButton>
  );
}

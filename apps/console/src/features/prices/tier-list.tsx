import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type Control, useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput } from '../../ui/form/number-input.tsx';
import { newTier, type PriceValues } from './price-values.ts';
import { FurtherTokenRates } from './token-rates.tsx';

/** Where most vendors begin to charge more. */
const USUAL_START = 200_000;
const TIERS_MAX = 10;

const twoColumns = { display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, gap: 2 };

/** Other rates for the whole call once its prompt is longer. */
export function TierList({ control }: { control: Control<PriceValues> }) {
  const { t } = useTranslation('prices');
  const { fields, append, remove } = useFieldArray({ control, name: 'tiers' });
  const last = fields.at(-1)?.above ?? 0;
  return (
    <>
      {fields.map(({ id }, index) => (
        <Box
          key={id}
          component="fieldset"
          sx={{
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            p: 1.5,
            m: 0,
            display: 'grid',
            gap: 2,
            minWidth: 0,
          }}
        >
          <Box
            sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto', alignItems: 'end', gap: 1 }}
          >
            <NumberInput
              control={control}
              name={`tiers.${index}.above`}
              label={t('tierAbove')}
              unit={t('tokensUnit')}
            />
            <IconButton onClick={() => remove(index)} aria-label={t('removeTier', { number: index + 1 })}>
              <IconX size={16} />
            </IconButton>
          </Box>
          <Box sx={twoColumns}>
            {(['input', 'output'] as const).map((kind) => (
              <NumberInput
                key={kind}
                control={control}
                name={`tiers.${index}.rates.${kind}`}
                label={t(kind)}
                before="$"
                unit={t('perMillion')}
              />
            ))}
            <FurtherTokenRates control={control} at={`tiers.${index}.rates`} />
          </Box>
        </Box>
      ))}
      {fields.length < TIERS_MAX && (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          startIcon={<IconPlus size={15} />}
          onClick={() => append(newTier(last === 0 ? USUAL_START : last * 2))}
          sx={{ justifySelf: 'start' }}
        >
          {t('addTier')}
        </Button>
      )}
    </>
  );
}

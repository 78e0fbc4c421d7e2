import Box from '@mui/material/Box';
import { type Control, useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { AddRow, RemoveRow } from '../../../../ui/form/row-buttons.tsx';
import { TwoColumns } from '../../../../ui/form/two-columns.tsx';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { newTier, type PriceValues } from './price-values.ts';
import { FurtherTokenRates } from './token-rates.tsx';

/** Token count at which most vendors begin to charge more. */
const USUAL_START = 200_000;
const TIERS_MAX = 10;

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
            <RemoveRow label={t('removeTier', { number: index + 1 })} onClick={() => remove(index)} />
          </Box>
          <TwoColumns>
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
          </TwoColumns>
        </Box>
      ))}
      {fields.length < TIERS_MAX && (
        <AddRow label={t('addTier')} onClick={() => append(newTier(last === 0 ? USUAL_START : last * 2))} />
      )}
    </>
  );
}

import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { furtherKinds } from './price-kinds.ts';
import type { PriceValues } from './price-values.ts';

interface TokenRatesProps {
  control: Control<PriceValues>;
  /** Path of the rates in the form: those of the price itself, or of one of its tiers. */
  at: 'rates' | `tiers.${number}.rates`;
}

/** Renders the rates of the further token kinds; an empty field costs the same as input or output. */
export function FurtherTokenRates({ control, at }: TokenRatesProps) {
  const { t } = useTranslation('prices');
  return furtherKinds.map(({ kind, partOf }) => (
    <NumberInput
      key={kind}
      control={control}
      name={`${at}.${kind}`}
      label={t(`kind.${kind}`)}
      placeholder={t(partOf === 'input' ? 'asInput' : 'asOutput')}
      before="$"
      unit={t('perMillion')}
    />
  ));
}

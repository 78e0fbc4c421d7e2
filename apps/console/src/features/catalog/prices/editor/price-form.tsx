import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { Control } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../../ui/form/form.tsx';
import { FormButtons } from '../../../../ui/form/form-buttons.tsx';
import { FoldedSection } from '../../../../ui/form/form-section.tsx';
import { TwoColumns } from '../../../../ui/form/two-columns.tsx';
import { useContractForm } from '../../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { SelectInput, SwitchInput } from '../../../../ui/inputs/choice-inputs.tsx';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../../ui/inputs/text-input.tsx';
import { callCost } from '../list/price-cost.ts';
import { OwnerInput } from './owner-input.tsx';
import { PriceConverter } from './price-converter.tsx';
import { priceTypes } from './price-kinds.ts';
import { ownRates, type PriceValues, priceForm, unitPrices } from './price-values.ts';
import { TierList } from './tier-list.tsx';
import { FurtherTokenRates } from './token-rates.tsx';
import { UnitRates } from './unit-rates.tsx';

interface PriceFormProps {
  values: PriceValues;
  /** Content that replaces the single model's name. */
  names?: ReactNode;
  onSave: (values: PriceValues) => Promise<unknown>;
  onCancel: () => void;
}

export function PriceForm({ values, names, onSave, onCancel }: PriceFormProps) {
  const { t } = useTranslation('prices');
  const contractForm = useContractForm({ schema: priceForm, values, onSubmit: onSave });
  const { control, formState, setValue } = contractForm.form;
  const type = useWatch({ control, name: 'type' });
  const unit = t(type === 'times' ? 'perCall' : 'perMillion');
  return (
    <Form form={contractForm}>
      {names ?? (
        <TextInput
          control={control}
          name="model"
          label={t('model')}
          help={t('modelHelp')}
          hint={t('modelHint')}
          autoFocus={values.model === ''}
          mono
        />
      )}
      <TwoColumns>
        <OwnerInput control={control} name="channel_type" label={t('owner')} help={t('ownerHelp')} />
        <SelectInput
          control={control}
          name="type"
          label={t('chargedBy')}
          options={priceTypes.map((name) => ({ value: name, label: t(`typeLong.${name}`) }))}
        />
      </TwoColumns>
      <TwoColumns>
        <NumberInput
          control={control}
          name="rates.input"
          label={t(type === 'times' ? 'price' : 'input')}
          before="$"
          unit={unit}
        />
        {type === 'tokens' && (
          <NumberInput control={control} name="rates.output" label={t('output')} before="$" unit={unit} />
        )}
      </TwoColumns>
      <Example control={control} />
      {type === 'tokens' && (
        <PriceConverter
          onUse={(field, usd) =>
            setValue(`rates.${field}`, usd, { shouldDirty: true, shouldValidate: formState.isSubmitted })
          }
        />
      )}
      {type === 'tokens' && <FurtherSections control={control} values={values} />}
      <SwitchInput control={control} name="locked" label={t('locked')} hint={t('lockedHint')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

/** Shows the sections that most prices do not need, folded; open where this price has values in them. */
function FurtherSections({ control, values }: { control: Control<PriceValues>; values: PriceValues }) {
  const { t } = useTranslation('prices');
  const sections = [
    {
      title: t('furtherKinds'),
      changed: ownRates(values.rates),
      content: (
        <TwoColumns>
          <FurtherTokenRates control={control} at="rates" />
        </TwoColumns>
      ),
    },
    { title: t('tiers'), changed: values.tiers.length, content: <TierList control={control} /> },
    { title: t('units'), changed: unitPrices(values), content: <UnitRates control={control} /> },
  ];
  return sections.map(({ title, changed, content }) => (
    <FoldedSection key={title} title={title} changed={changed} startOpen={changed > 0}>
      {content}
    </FoldedSection>
  ));
}

const exampleTokens = { input: 1000, cachedRead: 0, output: 500 };

/** Shows the cost of an example call at the typed rates. */
function Example({ control }: { control: Control<PriceValues> }) {
  const { t } = useTranslation('prices');
  const format = useFormat();
  const [type, rates] = useWatch({ control, name: ['type', 'rates'] });
  const cost = format.exactUsd(callCost(type, rates, exampleTokens));
  return (
    <Box
      component="output"
      sx={{
        px: 1.5,
        py: 1,
        borderRadius: 1,
        bgcolor: 'neutral.soft',
        color: 'neutral.onSoft',
        fontSize: '0.8125rem',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      {type === 'times'
        ? t('exampleCall', { cost })
        : t('example', {
            input: format.number(exampleTokens.input),
            output: format.number(exampleTokens.output),
            cost,
          })}
    </Box>
  );
}

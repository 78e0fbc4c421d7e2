import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type ReactNode, useState } from 'react';
import { type Control, type FieldValues, useFieldArray, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form, FormButtons } from '../../../../ui/form/form.tsx';
import { AddRow, FoldedSection, RemoveRow, TwoColumns } from '../../../../ui/form/form-layout.tsx';
import { useContractForm } from '../../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { ProviderPicker } from '../../../../ui/inputs/provider-picker.tsx';
import { SelectInput, SwitchInput } from '../../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../../ui/inputs/select-options.ts';
import { type FieldProps, TextInput } from '../../../../ui/inputs/text-input.tsx';
import { useYuanPerUsd } from '../../../site/site/queries.ts';
import { useOwners } from '../../model-owners/queries.ts';
import { callCost } from './call-cost.ts';
import { newTier, ownRates, type PriceValues, priceForm, unitPrices } from './price-form-values.ts';
import { FurtherTokenRates, UnitRates } from './rate-inputs.tsx';
import { type EntryUnit, entryUnits, priceTypes, usdPerMillion } from './rate-units.ts';

interface PriceFormProps {
  values: PriceValues;
  /** Content instead of the input for one model's name. */
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
          options={toOptions(priceTypes, (name) => t(`typeLong.${name}`))}
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

/** Renders the rarely needed sections; a section is open if this price has values in it. */
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

/** Shows the cost of an example call at the entered rates. */
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

/** Chooses the model's owner. The form holds the owner's integer id; 0 means unknown. */
function OwnerInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const owners = useOwners().map(({ id, name, icon }) => ({ type: id, id: icon, label: name }));
  return <ProviderPicker {...props} providers={owners} />;
}

/** Converts a price from a vendor's or another gateway's unit to USD and enters it in the form. */
function PriceConverter({ onUse }: { onUse: (field: 'input' | 'output', usd: number) => void }) {
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
          {usd === undefined ? t('converterHint', { rate: number(yuan, 4) }) : `${exactUsd(usd)} ${t('perMillion')}`}
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

/** Prompt size in tokens above which most vendors charge more. */
const USUAL_START = 200_000;
const TIERS_MAX = 10;

/** Edits the tiers: rates for the whole call once its prompt exceeds a size. */
function TierList({ control }: { control: Control<PriceValues> }) {
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
          <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto', alignItems: 'end', gap: 1 }}>
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

import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import type { DescribedModel, ModelDetail } from '@switchyard/contract/catalog/model-details';
import { type ModelMetadata, modelMetadata } from '@switchyard/contract/catalog/models';
import { useMemo } from 'react';
import { type Control, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useModelMetadataText } from '../../../ui/display/model-metadata-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { FoldedSection, TwoColumns } from '../../../ui/form/form-layout.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { type DetailValues, detailForm, detailOf, formValues } from './model-detail-form-values.ts';

interface DetailFormProps {
  /** Model that is described; undefined when the form chooses it. */
  described: DescribedModel | undefined;
  all: readonly DescribedModel[];
  /** Tags of other models. */
  tags: readonly string[];
  onSave: (detail: ModelDetail) => Promise<unknown>;
  onCancel: () => void;
}

export function DetailForm({ described, all, tags, onSave, onCancel }: DetailFormProps) {
  const { t } = useTranslation('model-details');
  const values = formValues(described?.model ?? '', described?.own ?? null);
  const contractForm = useContractForm({ schema: detailForm, values, onSubmit: (typed) => onSave(detailOf(typed)) });
  const { control, formState } = contractForm.form;
  const model = useWatch({ control, name: 'model' });
  const undescribed = useMemo(() => all.filter(({ own }) => own === null), [all]);
  const names = useMemo(() => undescribed.map((known) => known.model), [undescribed]);
  const listed = described?.listed ?? undescribed.find((known) => known.model === model)?.listed ?? {};
  return (
    <Form form={contractForm}>
      {described === undefined && (
        <ModelInput control={control} label={t('model')} hint={t('modelHint')} names={names} />
      )}
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} />
      <TextInput control={control} name="description" label={t('description')} hint={t('descriptionHint')} rows={3} />
      <MultiSelectInput
        control={control}
        name="tags"
        label={t('tags')}
        hint={t('tagsHint')}
        options={toOptions(tags)}
        free
      />
      <Limits control={control} listed={listed} />
      <Life control={control} listed={listed} values={values} />
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

interface SectionProps {
  control: Control<DetailValues>;
  listed: ModelMetadata;
}

const { input, output, capabilities } = modelMetadata.shape;
const inputKinds = input.unwrap().element.options;
const outputKinds = output.unwrap().element.options;
const capabilityNames = capabilities.unwrap().element.options;

function Limits({ control, listed }: SectionProps) {
  const { t } = useTranslation('model-details');
  const words = useModelMetadataText();
  const hints = useListedHints(listed);
  return (
    <>
      <TwoColumns>
        <NumberInput
          control={control}
          name="context_length"
          label={t('context')}
          hint={hints.context_length}
          unit={t('tokens')}
        />
        <NumberInput
          control={control}
          name="output_max"
          label={t('outputMax')}
          hint={hints.output_max}
          unit={t('tokens')}
        />
      </TwoColumns>
      <CheckChipsInput
        control={control}
        name="input"
        label={t('input')}
        hint={hints.input}
        options={toOptions(inputKinds, (value) => words.kind(value))}
      />
      <CheckChipsInput
        control={control}
        name="output"
        label={t('output')}
        hint={hints.output}
        options={toOptions(outputKinds, (value) => words.kind(value))}
      />
      <CheckChipsInput
        control={control}
        name="capabilities"
        label={t('capabilities')}
        hint={hints.capabilities}
        options={toOptions(capabilityNames, (value) => words.capability(value))}
      />
    </>
  );
}

const deprecations = ['listed', 'yes', 'no'] as const;

/** Renders release, retirement and successor; folded, because they are rarely entered by hand. */
function Life({ control, listed, values }: SectionProps & { values: DetailValues }) {
  const { t } = useTranslation('model-details');
  const hints = useListedHints(listed);
  const { released, retires, successor, deprecated } = values;
  const changed =
    [released, retires, successor].filter((value) => value !== '').length + (deprecated === 'listed' ? 0 : 1);
  return (
    <FoldedSection title={t('life')} changed={changed} startOpen={changed > 0}>
      <TwoColumns>
        <TextInput control={control} name="released" label={t('released')} hint={hints.released} type="date" />
        <TextInput control={control} name="retires" label={t('retires')} hint={hints.retires} type="date" />
      </TwoColumns>
      <SelectInput
        control={control}
        name="deprecated"
        label={t('deprecated')}
        options={toOptions(deprecations, (value) => t(`deprecatedName.${value}`))}
      />
      <TextInput control={control} name="successor" label={t('successor')} hint={hints.successor} mono />
    </FoldedSection>
  );
}

/** Returns a hint with the list's value for each field; undefined where the lists have none. */
function useListedHints(listed: ModelMetadata) {
  const { t } = useTranslation('model-details');
  const format = useFormat();
  const words = useModelMetadataText();
  const hint = <Value,>(value: Value | undefined, wordsOf: (value: Value) => string): string | undefined =>
    value === undefined ? undefined : t('listed', { value: wordsOf(value) });
  return {
    context_length: hint(listed.context_length, words.tokens),
    output_max: hint(listed.output_max, words.tokens),
    input: hint(listed.input, words.kinds),
    output: hint(listed.output, words.kinds),
    capabilities: hint(listed.capabilities, words.capabilities),
    released: hint(listed.released, format.date),
    retires: hint(listed.retires, format.date),
    successor: hint(listed.successor, String),
  };
}

/** Limits the options, because rendering a list of thousands is slow; typing filters it. */
const SHOWN = 50;

interface ModelInputProps {
  control: Control<DetailValues>;
  label: string;
  hint: string;
  /** Suggested names; any other can be entered. */
  names: readonly string[];
}

function ModelInput({ control, label, hint, names }: ModelInputProps) {
  const { field, fieldState } = useController({ control, name: 'model' });
  return (
    <FieldFrame label={label} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Autocomplete
          id={id}
          freeSolo
          options={names}
          inputValue={field.value}
          onInputChange={(_, typed) => field.onChange(typed)}
          onBlur={field.onBlur}
          filterOptions={(options, { inputValue }) =>
            options.filter((name) => name.includes(inputValue.trim())).slice(0, SHOWN)
          }
          renderInput={(params) => (
            <TextField
              {...params}
              autoFocus
              inputRef={field.ref}
              error={fieldState.invalid}
              slotProps={{
                ...params.slotProps,
                htmlInput: {
                  ...params.slotProps.htmlInput,
                  'aria-describedby': describedBy,
                  spellCheck: false,
                  style: { fontFamily: monoFont, fontSize: '0.8125rem' },
                },
              }}
            />
          )}
        />
      )}
    </FieldFrame>
  );
}

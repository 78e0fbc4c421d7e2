import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type Control, useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { AddRow, RemoveRow, TwoColumns } from '../../../../ui/form/form-layout.tsx';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../../ui/inputs/text-input.tsx';
import type { PriceValues } from './price-form-values.ts';
import { furtherKinds, unitKinds } from './rate-units.ts';

/** Renders the rates of usage besides tokens: tools, images and speech. */
export function UnitRates({ control }: { control: Control<PriceValues> }) {
  const { t } = useTranslation('prices');
  return (
    <>
      <TwoColumns>
        {unitKinds.map(({ kind, per }) => (
          <NumberInput
            key={kind}
            control={control}
            name={`rates.${kind}`}
            label={t(`kind.${kind}`)}
            placeholder={t('free')}
            before="$"
            unit={t(per)}
          />
        ))}
      </TwoColumns>
      <ImageSizes control={control} />
    </>
  );
}

/** Edits the rates of images and seconds of video that depend on size and quality. */
function ImageSizes({ control }: { control: Control<PriceValues> }) {
  const { t } = useTranslation('prices');
  const { fields, append, remove } = useFieldArray({ control, name: 'image_rates' });
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('imageSizesHint')}
      </Typography>
      {fields.map(({ id }, index) => (
        <Box
          key={id}
          sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr) auto', gap: 1, alignItems: 'end' }}
        >
          <TextInput
            control={control}
            name={`image_rates.${index}.variant`}
            label={t('imageVariant')}
            placeholder="1024x1024/hd"
            mono
          />
          <NumberInput
            control={control}
            name={`image_rates.${index}.usd`}
            label={t('price')}
            before="$"
            unit={t('perImageOrSecond')}
          />
          <RemoveRow label={t('removeImageSize', { number: index + 1 })} onClick={() => remove(index)} />
        </Box>
      ))}
      <AddRow label={t('addImageSize')} onClick={() => append({ variant: '', usd: 0 })} />
    </Box>
  );
}

interface TokenRatesProps {
  control: Control<PriceValues>;
  /** Form path of the rates of the price or of one of its tiers. */
  at: 'rates' | `tiers.${number}.rates`;
}

const sameAs = { input: 'asInput', output: 'asOutput', cachedRead: 'asCachedRead' } as const;

/** Renders the rates of the further token kinds; an empty field costs the same as the kind that it is part of. */
export function FurtherTokenRates({ control, at }: TokenRatesProps) {
  const { t } = useTranslation('prices');
  return furtherKinds.map(({ kind, partOf }) => (
    <NumberInput
      key={kind}
      control={control}
      name={`${at}.${kind}`}
      label={t(`kind.${kind}`)}
      placeholder={t(sameAs[partOf])}
      before="$"
      unit={t('perMillion')}
    />
  ));
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { quotedPath } from '@switchyard/contract/playground/quote';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectInput } from '../../../ui/inputs/choice-inputs.tsx';
import { JsonInput } from '../../../ui/inputs/json-input.tsx';
import type { Option } from '../../../ui/inputs/options.ts';
import { toOptions } from '../../../ui/inputs/options.ts';
import type { QuoteValues } from './sample-requests.ts';

interface QuoteFormProps {
  control: Control<QuoteValues>;
  keys: readonly ApiKey[];
  /** Selected token, which is an option even if the list lacks it. */
  startKey: ApiKeyId | undefined;
  checking: boolean;
  onSubmit: () => void;
}

const pathOptions: Option[] = toOptions(quotedPath.options);

export function QuoteForm({ control, keys, startKey, checking, onSubmit }: QuoteFormProps) {
  const { t } = useTranslation('quote');
  const path = useWatch({ control, name: 'path' });
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
    >
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'minmax(0, 1fr) 200px' },
          gap: 2,
        }}
      >
        <SelectInput
          control={control}
          name="token"
          label={t('token')}
          options={[{ value: '', label: t('noToken') }, ...keyOptions(keys, startKey)]}
        />
        <SelectInput control={control} name="path" label={t('path')} options={pathOptions} />
      </Box>
      <JsonInput key={path} control={control} name={`bodies.${path}`} label={t('body')} height={320} />
      <Button type="submit" variant="contained" loading={checking} sx={{ justifySelf: 'start' }}>
        {t('check')}
      </Button>
    </Box>
  );
}

function keyOptions(keys: readonly ApiKey[], startKey: ApiKeyId | undefined): Option[] {
  const options = keys.map(({ id, name }) => ({ value: String(id), label: name }));
  const isListed = startKey === undefined || keys.some(({ id }) => id === startKey);
  return isListed ? options : [{ value: String(startKey), label: `#${startKey}` }, ...options];
}

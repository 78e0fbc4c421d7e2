import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type NewOwner, PICTURE_MAX_BYTES } from '@switchyard/contract/catalog/model-owners';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FileButton } from '../../../ui/actions/file-button.tsx';
import { readAsDataUrl } from '../../../ui/actions/read-as-data-url.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { isPicture, markNames } from '../../../ui/product/provider-logos.ts';

const pictureTypes = ['image/png', 'image/webp', 'image/svg+xml'];

/** A mark that comes with the console, or a small picture that is kept with the owner. */
export function IconInput({ control }: { control: Control<NewOwner> }) {
  const { t } = useTranslation('model-owners');
  const { field, fieldState } = useController({ control, name: 'icon' });
  const [problem, setProblem] = useState<'tooLarge' | 'noPicture'>();
  const icon = field.value;
  const choose = (next: string) => {
    setProblem(undefined);
    field.onChange(next);
  };
  const read = async (file: File) => {
    if (!pictureTypes.includes(file.type)) setProblem('noPicture');
    else if (file.size > PICTURE_MAX_BYTES) setProblem('tooLarge');
    else choose(await readAsDataUrl(file));
  };
  return (
    <FieldFrame
      label={t('icon')}
      hint={t('iconHint')}
      error={problem === undefined ? fieldState.error?.message : t(problem)}
    >
      {({ id, describedBy }) => (
        <Box sx={{ display: 'grid', gap: 1 }}>
          <Autocomplete
            id={id}
            options={markNames}
            value={icon === '' || isPicture(icon) ? null : icon}
            onChange={(_, name) => choose(name ?? '')}
            renderOption={({ key, ...item }, name) => (
              <Box component="li" key={key} {...item} sx={{ gap: 1.25 }}>
                <ProviderLogo provider={name} size={18} />
                {name}
              </Box>
            )}
            renderInput={(params) => (
              <TextField
                {...params}
                placeholder={t(isPicture(icon) ? 'ownPicture' : 'chooseMark')}
                inputRef={field.ref}
                error={fieldState.invalid}
                slotProps={{
                  ...params.slotProps,
                  htmlInput: { ...params.slotProps.htmlInput, 'aria-describedby': describedBy },
                }}
              />
            )}
          />
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            <FileButton
              label={t('upload')}
              accept={pictureTypes.join()}
              onChoose={(file) => void read(file)}
            />
            {icon !== '' && (
              <Button color="inherit" onClick={() => choose('')}>
                {t('noIcon')}
              </Button>
            )}
          </Box>
        </Box>
      )}
    </FieldFrame>
  );
}

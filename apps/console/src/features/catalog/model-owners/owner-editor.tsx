import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { ICON_MAX_BYTES, type ModelOwner, type NewOwner, newOwner } from '@switchyard/contract/catalog/model-owners';
import { useState } from 'react';
import { type Control, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FileButton, readAsDataUrl } from '../../../ui/actions/file-buttons.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { isPicture, markNames } from '../../../ui/product/provider-logos.ts';
import { useCreateOwner, useUpdateOwner } from './queries.ts';

/** First id of added owners, far above the ids of shipped ones. */
const FIRST_ID = 100_001;

interface OwnerEditorProps {
  open: boolean;
  /** Undefined for a new or deleted owner. */
  owner: ModelOwner | undefined;
  isNew: boolean;
  added: readonly ModelOwner[];
  onClose: () => void;
}

export function OwnerEditor({ open, owner, isNew, added, onClose }: OwnerEditorProps) {
  const { t } = useTranslation('model-owners');
  return (
    <DetailDrawer open={open} onClose={onClose} title={t(isNew ? 'new' : 'editTitle')}>
      {isNew || owner !== undefined ? (
        <OwnerForm key={owner?.id} owner={owner} added={added} onClose={onClose} />
      ) : (
        <EmptyState>{t('gone')}</EmptyState>
      )}
    </DetailDrawer>
  );
}

function OwnerForm({ owner, added, onClose }: Pick<OwnerEditorProps, 'owner' | 'added' | 'onClose'>) {
  const { t } = useTranslation(['model-owners', 'common']);
  const create = useCreateOwner();
  const update = useUpdateOwner();
  const nextId = Math.max(FIRST_ID, ...added.map(({ id }) => id + 1));
  const { id, name, icon } = owner ?? { id: nextId, name: '', icon: '' };
  const contractForm = useContractForm({
    schema: newOwner,
    values: { id, name, icon },
    onSubmit: async (values) => {
      await (owner === undefined ? create : update).mutateAsync(values);
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  const shown = useWatch({ control });
  return (
    <Form form={contractForm}>
      <Box
        role="img"
        aria-label={t('preview')}
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1.25,
          p: 1.5,
          minHeight: 56,
          borderRadius: 1,
          bgcolor: 'neutral.soft',
          overflowWrap: 'anywhere',
        }}
      >
        <ProviderLogo provider={shown.icon ?? ''} size={28} />
        <Name id={shown.id}>{shown.name ?? ''}</Name>
      </Box>
      {owner === undefined && <NumberInput control={control} name="id" label={t('id')} hint={t('idHint')} />}
      <TextInput control={control} name="name" label={t('name')} autoFocus />
      <IconInput control={control} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

const pictureTypes = ['image/png', 'image/webp', 'image/svg+xml'];

/** Chooses a shipped logo or uploads a small image that is stored with the owner. */
function IconInput({ control }: { control: Control<NewOwner> }) {
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
    else if (file.size > ICON_MAX_BYTES) setProblem('tooLarge');
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
            <FileButton label={t('upload')} accept={pictureTypes.join()} onChoose={(file) => void read(file)} />
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

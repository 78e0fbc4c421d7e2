import Box from '@mui/material/Box';
import { type ModelOwner, newOwner } from '@switchyard/contract/catalog/model-owners';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/name.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { IconInput } from './icon-input.tsx';
import { useCreateOwner, useUpdateOwner } from './queries.ts';

/** Far from those that the product may give its own vendors. */
const FIRST_ID = 100_001;

interface OwnerEditorProps {
  open: boolean;
  /** Undefined: a new one, or one that is gone. */
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

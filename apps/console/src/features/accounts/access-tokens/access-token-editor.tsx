import { createAccessToken } from '@switchyard/contract/accounts/access-tokens';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { MomentInput } from '../../../ui/inputs/moment-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useSelf } from '../session/queries.ts';
import { useCreateAccessToken } from './queries.ts';

const DAYS = 90;

interface AccessTokenEditorProps {
  open: boolean;
  onClose: () => void;
  onCreated: (token: string) => void;
}

export function AccessTokenEditor({ open, onClose, onCreated }: AccessTokenEditorProps) {
  const { t } = useTranslation('access-tokens');
  return (
    <DetailDrawer open={open} onClose={onClose} title={t('new')}>
      {open && <NewTokenForm onClose={onClose} onCreated={onCreated} />}
    </DetailDrawer>
  );
}

function NewTokenForm({ onClose, onCreated }: Omit<AccessTokenEditorProps, 'open'>) {
  const { t } = useTranslation(['access-tokens', 'staff-roles']);
  const create = useCreateAccessToken();
  const [inTime] = useState(() => Math.floor(Date.now() / 1000) + DAYS * 86_400);
  const rights = useSelf()?.rights ?? [];
  const contractForm = useContractForm<z.output<typeof createAccessToken>>({
    schema: createAccessToken,
    values: {
      name: '',
      scopes: ['user'],
      read_only: true,
      expires_time: inTime,
    },
    onSubmit: async (body) => onCreated((await create.mutateAsync(body)).token),
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} autoFocus />
      <CheckChipsInput
        control={control}
        name="scopes"
        label={t('scopes')}
        hint={t('scopesHint')}
        options={rights.map((value) => ({ value, label: t(`staff-roles:right.${value}`) }))}
      />
      <SwitchInput control={control} name="read_only" label={t('readOnly')} hint={t('readOnlyHint')} />
      <MomentInput control={control} name="expires_time" label={t('ends')} never={0} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

import { permissionNames } from '@switchyard/contract/accounts/permissions';
import { type StaffRole, staffRoleForm } from '@switchyard/contract/accounts/staff-roles';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useSaveStaffRole } from './queries.ts';

interface StaffRoleEditorProps {
  role: StaffRole | 'new' | undefined;
  onClose: () => void;
}

export function StaffRoleEditor({ role, onClose }: StaffRoleEditorProps) {
  const { t } = useTranslation('staff-roles');
  return (
    <DetailDrawer open={role !== undefined} onClose={onClose} title={t(role === 'new' ? 'new' : 'editTitle')}>
      {role !== undefined && <RoleForm role={role === 'new' ? undefined : role} onClose={onClose} />}
    </DetailDrawer>
  );
}

function RoleForm({ role, onClose }: { role: StaffRole | undefined; onClose: () => void }) {
  const { t } = useTranslation(['staff-roles', 'common']);
  const save = useSaveStaffRole();
  const contractForm = useContractForm({
    schema: staffRoleForm,
    values: { name: role?.name ?? '', permissions: role?.permissions ?? [] },
    onSubmit: async (values) => {
      await save.mutateAsync({ ...values, id: role?.id });
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} autoFocus />
      <CheckChipsInput
        control={control}
        name="permissions"
        label={t('permissions')}
        hint={t('permissionsHint')}
        options={permissionNames.map((value) => ({ value, label: t(`right.${value}`) }))}
      />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { permissionNames } from '@switchyard/contract/accounts/permissions';
import { type StaffRole, staffRoleForm } from '@switchyard/contract/accounts/staff-roles';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { staffRolesQuery, useRemoveStaffRole, useSaveStaffRole } from './queries.ts';

/** Shows the permissions of staff roles. `?edit=` changes one role, `?edit=new` creates one. */
export function StaffRolesPage() {
  const { t } = useTranslation('staff-roles');
  const { data: roles, error, refetch } = useQuery(staffRolesQuery);
  const [edited, setEdited] = useSearchParam('edit');
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2 }}>
        {t('intro')}
      </Typography>
      {roles === undefined && <PendingPanel error={error} refetch={refetch} height={200} />}
      {roles?.length === 0 && <EmptyState>{t('empty')}</EmptyState>}
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {roles?.map((role) => (
          <RoleCard key={role.id} role={role} onEdit={() => setEdited(String(role.id))} />
        ))}
      </Box>
      <StaffRoleEditor
        role={edited === 'new' ? 'new' : roles?.find(({ id }) => String(id) === edited)}
        onClose={() => setEdited(undefined)}
      />
    </>
  );
}

function RoleCard({ role, onEdit }: { role: StaffRole; onEdit: () => void }) {
  const { t } = useTranslation(['staff-roles', 'common']);
  const remove = useRemoveStaffRole();
  return (
    <SectionCard title={<Name id={role.id}>{role.name}</Name>}>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
        {t('members', { count: role.members })}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, mb: 2 }}>
        {role.permissions.map((name) => (
          <StatusChip key={name} tone="neutral">
            {t(`right.${name}`)}
          </StatusChip>
        ))}
        {role.permissions.length === 0 && t('nothing')}
      </Box>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          onClick={onEdit}
          aria-label={t('editOf', { name: role.name })}
        >
          {t('common:edit')}
        </Button>
        <ConfirmButton
          size="small"
          variant="outlined"
          disabled={role.members > 0}
          aria-label={t('deleteOf', { name: role.name })}
          question={{ title: t('deleteTitle', { name: role.name }), text: t('deleteText'), verb: t('common:delete') }}
          onConfirm={async () => {
            await remove.mutateAsync(role.id);
            notify('success', t('deletedName', { name: role.name }));
          }}
        >
          {t('common:delete')}
        </ConfirmButton>
      </Box>
    </SectionCard>
  );
}

interface StaffRoleEditorProps {
  role: StaffRole | 'new' | undefined;
  onClose: () => void;
}

function StaffRoleEditor({ role, onClose }: StaffRoleEditorProps) {
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
        options={toOptions(permissionNames, (value) => t(`right.${value}`))}
      />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

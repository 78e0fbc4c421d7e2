import { password } from '@switchyard/contract/accounts/account-fields';
import { createUser, type User, updateUser } from '@switchyard/contract/accounts/users';
import { staffRoleId } from '@switchyard/contract/ids';
import { useState } from 'react';
import { type Control, type FieldValues, type Path, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { changedValues, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useCurrentUser } from '../session/queries.ts';
import { useStaffRoleOptions } from '../staff-roles/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import type { CreateUser, UpdateUser } from './queries.ts';
import { assignableRoles, userRights } from './user-roles-and-edit-rights.ts';

type NewValues = z.output<typeof createUser>;

const newValues: NewValues = {
  username: '',
  password: '',
  display_name: '',
  email: '',
  group: 'default',
  role: 'user',
};

/** Form schema in which an empty password keeps the current one; the contract omits the field instead. */
const editUser = updateUser.extend({
  password: z.union([z.literal(''), password]),
  /** Option value; empty for no staff role. */
  staff_role: z.string(),
});
type EditValues = z.output<typeof editUser>;

function editValues({ id, username, display_name, email, group, role, staff_role }: User): EditValues {
  return { id, username, display_name, email, group, role, staff_role: String(staff_role ?? ''), password: '' };
}

export function NewUserForm({
  onSave,
  onCancel,
}: {
  onSave: (body: CreateUser) => Promise<unknown>;
  onCancel: () => void;
}) {
  const { t } = useTranslation('users');
  const contractForm = useContractForm({ schema: createUser, values: newValues, onSubmit: onSave });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="username" label={t('username')} autoFocus />
      <SecretInput control={control} name="password" label={t('password')} hint={t('passwordHint')} />
      <PersonFields control={control} names={{ display_name: 'display_name', email: 'email' }} />
      <PlaceFields control={control} names={{ group: 'group', role: 'role' }} />
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

interface EditUserFormProps {
  user: User;
  onSave: (body: UpdateUser) => Promise<unknown>;
  onCancel: () => void;
}

export function EditUserForm({ user, onSave, onCancel }: EditUserFormProps) {
  const { t } = useTranslation('users');
  const { manage } = userRights(useCurrentUser(), user);
  const [before] = useState(() => editValues(user));
  const contractForm = useContractForm({
    schema: editUser,
    values: before,
    onSubmit: (typed) => {
      const { staff_role: named, ...changed } = changedValues(before, typed);
      const staffRole = named === undefined ? {} : { staff_role: staffRoleId.safeParse(named).data ?? null };
      return onSave({ ...changed, ...staffRole, id: user.id });
    },
  });
  const { control, formState } = contractForm.form;
  const chosenRole = useWatch({ control, name: 'role' });
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="username" label={t('username')} autoFocus />
      <PersonFields control={control} names={{ display_name: 'display_name', email: 'email' }} />
      <PlaceFields control={control} names={manage ? { group: 'group', role: 'role' } : { group: 'group' }} />
      {manage && chosenRole === 'staff' && <StaffRoleField control={control} name="staff_role" />}
      <SecretInput control={control} name="password" label={t('newPassword')} hint={t('newPasswordHint')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

function StaffRoleField<Values extends FieldValues>(field: { control: Control<Values>; name: Path<Values> }) {
  const { t } = useTranslation('users');
  const roles = useStaffRoleOptions();
  return (
    <SelectInput
      {...field}
      label={t('staffRole')}
      help={t('staffRoleHelp')}
      options={[{ value: '', label: t('staffRoleNone') }, ...roles]}
    />
  );
}

type Fields<Values extends FieldValues, Names extends string> = {
  control: Control<Values>;
  names: Record<Names, Path<Values>>;
};

function PersonFields<Values extends FieldValues>({ control, names }: Fields<Values, 'display_name' | 'email'>) {
  const { t } = useTranslation('users');
  return (
    <>
      <TextInput control={control} name={names.display_name} label={t('displayName')} />
      <TextInput control={control} name={names.email} label={t('email')} type="email" />
    </>
  );
}

interface PlaceFieldsProps<Values extends FieldValues> {
  control: Control<Values>;
  /** Field names; without `role` the form does not change the role. */
  names: { group: Path<Values>; role?: Path<Values> };
}

function PlaceFields<Values extends FieldValues>({ control, names }: PlaceFieldsProps<Values>) {
  const { t } = useTranslation(['users', 'shell']);
  const groups = useGroupOptions().map(({ value, label, detail }) => ({ value, label: `${label} ${detail}` }));
  const roles = assignableRoles(useCurrentUser()).map((role) => ({ value: role, label: t(`shell:role.${role}`) }));
  return (
    <>
      <SelectInput control={control} name={names.group} label={t('group')} help={t('groupHelp')} options={groups} />
      {names.role !== undefined && (
        <SelectInput control={control} name={names.role} label={t('role')} help={t('roleHelp')} options={roles} />
      )}
    </>
  );
}

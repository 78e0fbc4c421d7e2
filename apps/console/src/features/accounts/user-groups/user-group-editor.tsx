import Box from '@mui/material/Box';
import { createUserGroup, type GroupWithUsage, routeOrder } from '@switchyard/contract/accounts/user-groups';
import type { UserGroupId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { TwoColumns } from '../../../ui/form/form-layout.tsx';
import { changedValues, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useCreateUserGroup, userGroupQuery, useUpdateUserGroup } from './queries.ts';

const newValues: UserGroupValues = {
  symbol: '',
  name: '',
  ratio: 1,
  api_rate: 600,
  tpm: 0,
  public: false,
  order: 'weight',
  promotion: false,
  min: 0,
  max: 0,
};

interface UserGroupEditorProps {
  id: UserGroupId | 'new' | undefined;
  /** Group whose values a new group starts with. */
  copied: UserGroupId | undefined;
  onClose: () => void;
}

export function UserGroupEditor({ id, copied, onClose }: UserGroupEditorProps) {
  const { t } = useTranslation('user-groups');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')}>
      {id === 'new' && copied === undefined && <NewForm values={newValues} onClose={onClose} />}
      {id === 'new' && copied !== undefined && <CopyForm id={copied} onClose={onClose} />}
      {id !== undefined && id !== 'new' && <EditForm id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function CopyForm({ id, onClose }: { id: UserGroupId; onClose: () => void }) {
  const { t } = useTranslation('user-groups');
  const { data, error, refetch } = useQuery(userGroupQuery(id));
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  // The form saves this text, so escaping would corrupt the name.
  const name = t('copyName', { name: data.name, interpolation: { escapeValue: false } }).slice(0, 50);
  return <NewForm values={{ ...valuesOf(data), symbol: '', name }} onClose={onClose} />;
}

function valuesOf(group: GroupWithUsage): UserGroupValues {
  const { id: _id, enable: _enable, members: _m, tokens: _t, channels: _c, ...values } = group;
  return values;
}

function NewForm({ values, onClose }: { values: UserGroupValues; onClose: () => void }) {
  const { t } = useTranslation('common');
  const create = useCreateUserGroup();
  return (
    <UserGroupForm
      values={values}
      symbolFixed={false}
      onCancel={onClose}
      onSave={async (body) => {
        await create.mutateAsync(body);
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}

function EditForm({ id, onClose }: { id: UserGroupId; onClose: () => void }) {
  const { t } = useTranslation(['user-groups', 'common']);
  const { data, error, refetch } = useQuery(userGroupQuery(id));
  const update = useUpdateUserGroup();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  const values = valuesOf(data);
  const search = { group: values.symbol };
  return (
    <Box sx={{ display: 'grid', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Mono>{values.symbol}</Mono>
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton size="small" color="inherit" to={paths.users} search={search}>
          {t('itsUsers')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.channels} search={search}>
          {t('itsChannels')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.models} search={search}>
          {t('itsModels')}
        </LinkButton>
        <LinkButton size="small" color="inherit" to={paths.usageRecords} search={search}>
          {t('itsLog')}
        </LinkButton>
      </Box>
      <UserGroupForm
        values={values}
        symbolFixed
        onCancel={onClose}
        onSave={async (typed, before) => {
          const { symbol: _fixed, ...body } = changedValues(before, typed);
          await update.mutateAsync({ ...body, id });
          notify('success', t('common:saved'));
          onClose();
        }}
      />
    </Box>
  );
}

/** Repeats the server's comparison, so that the form reports an error before it is sent. */
const groupForm = createUserGroup.refine(({ promotion, min, max }) => !promotion || max === 0 || max > min, {
  path: ['max'],
});

type UserGroupValues = z.output<typeof createUserGroup>;

interface UserGroupFormProps {
  values: UserGroupValues;
  /** True if the symbol is read-only: users, tokens and channels refer to an existing group by it. */
  symbolFixed: boolean;
  /** @param before initial values of the form */
  onSave: (values: UserGroupValues, before: UserGroupValues) => Promise<unknown>;
  onCancel: () => void;
}

function UserGroupForm({ values, symbolFixed, onSave, onCancel }: UserGroupFormProps) {
  const { t } = useTranslation('user-groups');
  const format = useFormat();
  const [before] = useState(values);
  const contractForm = useContractForm({
    schema: groupForm,
    values: before,
    onSubmit: (typed) => onSave(typed, before),
  });
  const { control, formState } = contractForm.form;
  const ratio = useWatch({ control, name: 'ratio' });
  const rate = useWatch({ control, name: 'api_rate' });
  const promotion = useWatch({ control, name: 'promotion' });
  const isNumber = typeof ratio === 'number' && Number.isFinite(ratio);
  return (
    <Form form={contractForm}>
      {!symbolFixed && (
        <TextInput
          control={control}
          name="symbol"
          label={t('symbol')}
          hint={t('symbolHint')}
          placeholder="vip"
          autoFocus
          mono
        />
      )}
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} />
      <NumberInput
        control={control}
        name="ratio"
        label={t('ratio')}
        before="×"
        help={t('ratioHelp')}
        hint={isNumber ? t('ratioExample', { price: format.usd(1), paid: format.usd(ratio) }) : undefined}
      />
      <NumberInput
        control={control}
        name="api_rate"
        label={t('rate')}
        unit={t('rateUnit')}
        help={t('rateHelp')}
        hint={rate === 0 ? t('rateNone') : t('rateHint')}
      />
      <SelectInput
        control={control}
        name="order"
        label={t('order')}
        help={t('orderHelp')}
        options={toOptions(routeOrder.options, (value) => t(`orderName.${value}`))}
      />
      <NumberInput
        control={control}
        name="tpm"
        label={t('tpm')}
        unit={t('rateUnit')}
        help={t('tpmHelp')}
        hint={t('tpmHint')}
      />
      <SwitchInput control={control} name="public" label={t('public')} hint={t('publicHint')} />
      <SwitchInput control={control} name="promotion" label={t('promotion')} hint={t('promotionHint')} />
      {promotion && (
        <TwoColumns>
          <NumberInput control={control} name="min" label={t('min')} before="$" />
          <NumberInput control={control} name="max" label={t('max')} before="$" hint={t('maxHint')} />
        </TwoColumns>
      )}
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

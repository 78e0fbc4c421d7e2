import Box from '@mui/material/Box';
import { type CreateApiKey, createApiKey, NEVER } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { FoldedSection } from '../../../ui/form/form-layout.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { MomentInput } from '../../../ui/inputs/date-time-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ownModelsQuery } from '../../catalog/models/queries.ts';
import { groupChoices, useGroups } from '../user-groups/queries.ts';
import { changedFields, formValues, newValues, withLimitSwitches } from './api-key-form-values.ts';
import { BUDGET_PERIODS } from './api-key-usage-and-budgets.tsx';
import { apiKeyQuery, useCreateApiKey, useUpdateApiKey } from './queries.ts';

interface ApiKeyEditorProps {
  id: ApiKeyId | 'new' | undefined;
  onClose: () => void;
  /** Callback that receives the whole key, which is shown once. */
  onCreated: (key: string) => void;
}

export function ApiKeyEditor({ id, onClose, onCreated }: ApiKeyEditorProps) {
  const { t } = useTranslation('api-keys');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')}>
      {id === 'new' && <NewForm onClose={onClose} onCreated={onCreated} />}
      {id !== undefined && id !== 'new' && <EditForm id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewForm({ onClose, onCreated }: Pick<ApiKeyEditorProps, 'onClose' | 'onCreated'>) {
  const create = useCreateApiKey();
  return (
    <ApiKeyForm
      values={newValues}
      onCancel={onClose}
      onSave={async (body) => onCreated((await create.mutateAsync(body)).key)}
    />
  );
}

function EditForm({ id, onClose }: { id: ApiKeyId; onClose: () => void }) {
  const { t } = useTranslation('common');
  const { data, error, refetch } = useQuery(apiKeyQuery(id));
  const update = useUpdateApiKey();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <ApiKeyForm
      values={formValues(data)}
      onCancel={onClose}
      onSave={async (body) => {
        await update.mutateAsync({ ...body, id });
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}

interface ApiKeyFormProps {
  values: CreateApiKey;
  onSave: (values: CreateApiKey) => Promise<unknown>;
  onCancel: () => void;
}

function ApiKeyForm({ values, onSave, onCancel }: ApiKeyFormProps) {
  const { t } = useTranslation('api-keys');
  const contractForm = useContractForm({
    schema: createApiKey,
    values,
    onSubmit: (sent) => onSave(withLimitSwitches(sent)),
  });
  const { control, formState } = contractForm.form;
  const unlimited = useWatch({ control, name: 'unlimited_quota' });
  const group = useWatch({ control, name: 'group' });
  const groups = groupChoices(useGroups());
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} autoFocus />
      <MomentInput control={control} name="expired_time" label={t('expires')} never={NEVER} />
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        <SwitchInput control={control} name="unlimited_quota" label={t('unlimited')} hint={t('unlimitedHint')} />
        {!unlimited && <PointsInput control={control} name="remain_quota" label={t('quota')} />}
      </Box>
      <SelectInput
        control={control}
        name="group"
        label={t('group')}
        help={t('groupHelp')}
        options={[{ value: '', label: t('ownGroup') }, ...groups]}
      />
      <FoldedSection title={t('moreOptions')} changed={changedFields(values)} startOpen={changedFields(values) > 0}>
        <SelectInput
          control={control}
          name="backup_group"
          label={t('backupGroup')}
          help={t('backupGroupHelp')}
          options={[{ value: '', label: t('none') }, ...groups.filter(({ value }) => value !== group)]}
        />
        <LimitInputs control={control} />
        <HeartbeatInputs control={control} />
        <StrictInput control={control} />
      </FoldedSection>
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

function LimitInputs({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  const models = useQuery(ownModelsQuery);
  return (
    <>
      {BUDGET_PERIODS.map((period) => (
        <PointsInput
          key={period}
          control={control}
          name={`setting.limits.budgets.${period}`}
          label={t(`budget.${period}`)}
          help={t('budgetHelp')}
        />
      ))}
      <MultiSelectInput
        control={control}
        name="setting.limits.limit_model_setting.models"
        label={t('models')}
        help={t('modelsHelp')}
        placeholder={t('all')}
        options={toOptions(models.data ?? [])}
        loading={models.isPending}
        free
      />
      <MultiSelectInput
        control={control}
        name="setting.limits.limits_ip_setting.whitelist"
        label={t('addresses')}
        help={t('addressesHelp')}
        placeholder={t('all')}
        options={[]}
        free
      />
      <NumberInput control={control} name="api_rate" label={t('rate')} hint={t('rateHint')} />
      <NumberInput
        control={control}
        name="setting.limits.tokens_per_minute"
        label={t('tokensPerMinute')}
        hint={t('rateHint')}
      />
      <NumberInput
        control={control}
        name="setting.limits.concurrency"
        label={t('concurrency')}
        hint={t('concurrencyHint')}
      />
    </>
  );
}

/** Renders the switch that rejects lossy translation, for clients that prefer an error. */
function StrictInput({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  return <SwitchInput control={control} name="setting.strict_translation" label={t('strict')} help={t('strictHelp')} />;
}

/** Renders the inputs for heartbeats, for clients that close a silent stream. */
function HeartbeatInputs({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  const heartbeat = useWatch({ control, name: 'setting.heartbeat.enabled' });
  return (
    <>
      <SwitchInput
        control={control}
        name="setting.heartbeat.enabled"
        label={t('heartbeat')}
        help={t('heartbeatHelp')}
      />
      {heartbeat && (
        <NumberInput
          control={control}
          name="setting.heartbeat.timeout_seconds"
          label={t('heartbeatSeconds')}
          unit="s"
        />
      )}
    </>
  );
}

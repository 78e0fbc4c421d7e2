import Box from '@mui/material/Box';
import { type CreateApiKey, createApiKey, NEVER } from '@switchyard/contract/api-keys';
import { useQuery } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectInput, SwitchInput } from '../../ui/form/choice-inputs.tsx';
import { Form } from '../../ui/form/form.tsx';
import { FormButtons } from '../../ui/form/form-buttons.tsx';
import { FoldedSection } from '../../ui/form/form-section.tsx';
import { MomentInput } from '../../ui/form/moment-input.tsx';
import { NumberInput, PointsInput } from '../../ui/form/number-input.tsx';
import { ManyPickerInput } from '../../ui/form/picker-input.tsx';
import { TextInput } from '../../ui/form/text-input.tsx';
import { useContractForm } from '../../ui/form/use-contract-form.ts';
import { ownModelsQuery } from '../models/queries.ts';
import { groupChoices, useGroups } from '../user-groups/queries.ts';
import { changedFields, withLimitSwitches } from './api-key-values.ts';
import { BUDGET_PERIODS } from './budget-use.ts';

interface ApiKeyFormProps {
  values: CreateApiKey;
  onSave: (values: CreateApiKey) => Promise<unknown>;
  onCancel: () => void;
}

export function ApiKeyForm({ values, onSave, onCancel }: ApiKeyFormProps) {
  const { t } = useTranslation('api-keys');
  const contractForm = useContractForm({
    schema: createApiKey,
    values,
    onSubmit: (sent) => onSave(withLimitSwitches(sent)),
  });
  const { control, formState } = contractForm.form;
  const unlimited = useWatch({ control, name: 'unlimited_quota' });
  const group = useWatch({ control, name: 'group' });
  const heartbeat = useWatch({ control, name: 'setting.heartbeat.enabled' });
  const models = useQuery(ownModelsQuery);
  const groups = groupChoices(useGroups());
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} autoFocus />
      <MomentInput control={control} name="expired_time" label={t('expires')} never={NEVER} />
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        <SwitchInput
          control={control}
          name="unlimited_quota"
          label={t('unlimited')}
          hint={t('unlimitedHint')}
        />
        {!unlimited && <PointsInput control={control} name="remain_quota" label={t('quota')} />}
      </Box>
      <SelectInput
        control={control}
        name="group"
        label={t('group')}
        help={t('groupHelp')}
        options={[{ value: '', label: t('ownGroup') }, ...groups]}
      />
      <FoldedSection
        title={t('moreOptions')}
        changed={changedFields(values)}
        startOpen={changedFields(values) > 0}
      >
        <SelectInput
          control={control}
          name="backup_group"
          label={t('backupGroup')}
          help={t('backupGroupHelp')}
          options={[{ value: '', label: t('none') }, ...groups.filter(({ value }) => value !== group)]}
        />
        {BUDGET_PERIODS.map((period) => (
          <PointsInput
            key={period}
            control={control}
            name={`setting.limits.budgets.${period}`}
            label={t(`budget.${period}`)}
            help={t('budgetHelp')}
          />
        ))}
        <ManyPickerInput
          control={control}
          name="setting.limits.limit_model_setting.models"
          label={t('models')}
          help={t('modelsHelp')}
          placeholder={t('all')}
          options={(models.data ?? []).map((name) => ({ value: name, label: name }))}
          loading={models.isPending}
          free
        />
        <ManyPickerInput
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
      </FoldedSection>
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

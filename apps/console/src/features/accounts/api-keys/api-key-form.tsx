import Box from '@mui/material/Box';
import { type CreateApiKey, createApiKey, NEVER } from '@switchyard/contract/accounts/api-keys';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SelectInput, SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { MomentInput } from '../../../ui/inputs/moment-input.tsx';
import { PointsInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { groupChoices, useGroups } from '../user-groups/queries.ts';
import { HeartbeatInputs, LimitInputs, StrictInput } from './api-key-options.tsx';
import { changedFields, withLimitSwitches } from './api-key-values.ts';

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
        <LimitInputs control={control} />
        <HeartbeatInputs control={control} />
        <StrictInput control={control} />
      </FoldedSection>
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

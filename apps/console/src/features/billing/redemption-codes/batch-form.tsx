import { createBatch } from '@switchyard/contract/billing/redemption-codes';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SelectInput } from '../../../ui/inputs/choice-inputs.tsx';
import { MomentInput } from '../../../ui/inputs/moment-input.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { NEVER, type NewBatch, newBatch } from './batch-values.ts';

interface BatchFormProps {
  onSave: (values: NewBatch) => Promise<unknown>;
  onCancel: () => void;
}

export function BatchForm({ onSave, onCancel }: BatchFormProps) {
  const { t } = useTranslation('redemption-codes');
  const groups = useGroupOptions();
  const contractForm = useContractForm({ schema: createBatch, values: newBatch, onSubmit: onSave });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} autoFocus />
      <PointsInput control={control} name="quota" label={t('worth')} help={t('worthHelp')} />
      <NumberInput control={control} name="count" label={t('count')} />
      <MomentInput control={control} name="expires_time" label={t('expires')} never={NEVER} />
      <FoldedSection title={t('moreOptions')} changed={0}>
        <TextInput control={control} name="prefix" label={t('prefix')} hint={t('prefixHint')} mono />
        <NumberInput control={control} name="per_user" label={t('perUser')} hint={t('perUserHint')} />
        <SelectInput
          control={control}
          name="for_group"
          label={t('forGroup')}
          help={t('forGroupHelp')}
          options={[{ value: '', label: t('everybody') }, ...groups]}
        />
        <SelectInput
          control={control}
          name="grant_group"
          label={t('grantGroup')}
          help={t('grantGroupHelp')}
          options={[{ value: '', label: t('noGroup') }, ...groups]}
        />
      </FoldedSection>
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

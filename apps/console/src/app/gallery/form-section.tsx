import { pointsAmount } from '@switchyard/contract/money';
import { z } from 'zod';
import { notify } from '../../ui/feedback/toasts.ts';
import { FoldedSection } from '../../ui/form/form-rows.tsx';
import { PageForm } from '../../ui/form/page-form.tsx';
import { useContractForm } from '../../ui/form/use-contract-form.ts';
import { SelectInput, SwitchInput } from '../../ui/inputs/choice-inputs.tsx';
import { JsonInput } from '../../ui/inputs/json-input.tsx';
import { MomentInput } from '../../ui/inputs/moment-input.tsx';
import { NumberInput, PointsInput } from '../../ui/inputs/number-input.tsx';
import { ManyPickerInput } from '../../ui/inputs/picker-input.tsx';
import { SecretInput } from '../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { SectionCard } from '../../ui/layout/section-card.tsx';

const schema = z.object({
  name: z.string().trim().min(1).max(30),
  group: z.string().min(1),
  key: z.string(),
  quota: pointsAmount,
  until: z.number().int(),
  weight: z.number().int().min(1),
  enabled: z.boolean(),
  models: z.array(z.string()),
  mapping: z.string(),
});

const groups = [
  { value: 'default', label: 'Standard ×1' },
  { value: 'vip', label: 'VIP ×0.8' },
];
const models = [
  { value: 'gpt-5-mini', label: 'gpt-5-mini', section: 'OpenAI', detail: '$0.25' },
  { value: 'claude-sonnet-4-5', label: 'claude-sonnet-4-5', section: 'Anthropic', detail: '$3.00' },
];

export function FormSection() {
  const form = useContractForm({
    schema,
    values: {
      name: 'openai-eu',
      group: 'default',
      key: '',
      quota: pointsAmount.parse(2_100_000),
      until: -1,
      weight: 1,
      enabled: true,
      models: ['gpt-5-mini'],
      mapping: '{\n  "gpt-4o": "gpt-5-mini"\n}',
    },
    onSubmit: async (values) => notify('success', `Saved ${values.name}`),
  });
  const { control } = form.form;
  return (
    <SectionCard title="Form">
      <PageForm form={form}>
        <TextInput control={control} name="name" label="Name" help="Shown to administrators only." />
        <SelectInput control={control} name="group" label="Group" options={groups} />
        <SecretInput control={control} name="key" label="Key" stored="…x9f2" />
        <PointsInput control={control} name="quota" label="Quota" />
        <MomentInput control={control} name="until" label="Until" never={-1} />
        <SwitchInput control={control} name="enabled" label="Enabled" hint="Answers calls." />
        <FoldedSection title="Routing" changed={1}>
          <NumberInput control={control} name="weight" label="Weight" />
          <ManyPickerInput control={control} name="models" label="Models" options={models} free />
          <JsonInput control={control} name="mapping" label="Mapping" />
        </FoldedSection>
      </PageForm>
    </SectionCard>
  );
}

import Box from '@mui/material/Box';
import type { CreateChannel, Provider } from '@switchyard/contract/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { PageForm } from '../../ui/form/page-form.tsx';
import { SectionedPage } from '../../ui/form/sectioned-page.tsx';
import { type ContractForm, useContractForm } from '../../ui/form/use-contract-form.ts';
import { SectionCard } from '../../ui/section-card.tsx';
import { BasicsSection } from './basics-section.tsx';
import { changedFields, channelSchema, withEveryOption, withKnownOptions } from './channel-values.ts';
import { CostSection } from './cost-section.tsx';
import { DeadlinesSection } from './deadlines-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { RequestsSection } from './requests-section.tsx';
import { ConnectionSection, RoutingSection } from './routing-section.tsx';

interface ChannelFormProps {
  providers: readonly Provider[];
  values: CreateChannel;
  /** The stored channel; undefined for a new one. */
  stored?: { id: ChannelId; keyHint: string; keyCount: number };
  /** @returns what is stored now, to which the form is set; undefined when the screen is left */
  onSave: (values: CreateChannel) => Promise<CreateChannel | undefined>;
  /** Sections below the form that save nothing. */
  extra: readonly { id: string; title: string; content: ReactNode }[];
}

const fieldsOf = {
  basics: ['type', 'name', 'key', 'keys_as', 'base_url', 'options'],
  models: ['models', 'test_model', 'model_mapping'],
  routing: ['group', 'tag', 'priority', 'weight', 'only_chat', 'lacks'],
  cost: ['cost', 'held_prompt', 'caps'],
  connection: ['proxy', 'model_headers', 'deadlines', 'request_changes'],
} as const;
type Section = keyof typeof fieldsOf;

export function ChannelForm({ providers, values, stored, onSave, extra }: ChannelFormProps) {
  const { t } = useTranslation('channels');
  const schema = useMemo(() => channelSchema(providers), [providers]);
  const contractForm: ContractForm<CreateChannel> = useContractForm<CreateChannel>({
    schema,
    values: withEveryOption(values, providers),
    onSubmit: async (sent) => {
      const provider = providers.find(({ type }) => type === sent.type);
      const saved = await onSave(withKnownOptions(sent, provider));
      if (saved !== undefined) contractForm.form.reset(withEveryOption(saved, providers));
    },
  });
  const { control, formState } = contractForm.form;
  const changed = changedFields(values);
  const content: Record<Section, ReactNode> = {
    basics: (
      <BasicsSection
        control={control}
        providers={providers}
        keyHint={stored?.keyHint}
        keyCount={stored?.keyCount}
      />
    ),
    models: (
      <ModelsSection form={contractForm} providers={providers} id={stored?.id} changed={changed.models} />
    ),
    routing: <RoutingSection control={control} changed={changed.routing} />,
    cost: <CostSection control={control} />,
    connection: (
      <>
        <ConnectionSection control={control} changed={changed.connection} />
        <DeadlinesSection control={control} changed={changed.deadlines} />
        <RequestsSection control={control} changed={changed.requests} />
      </>
    ),
  };
  const sections = (['basics', 'models', 'routing', 'connection', 'cost'] as const).map((id) => ({
    id,
    title: t(`section.${id}`),
    wrong: fieldsOf[id].some((name) => formState.errors[name] !== undefined),
  }));
  return (
    <SectionedPage sections={[...sections, ...extra]}>
      <PageForm form={contractForm}>
        {sections.map(({ id, title }) => (
          <SectionCard key={id} id={id} title={title}>
            <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>{content[id]}</Box>
          </SectionCard>
        ))}
      </PageForm>
      {extra.map(({ id, title, content: below }) => (
        <SectionCard key={id} id={id} title={title}>
          {below}
        </SectionCard>
      ))}
    </SectionedPage>
  );
}

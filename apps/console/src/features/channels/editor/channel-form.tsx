import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type CreateChannel, capability, type Provider } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { type ReactNode, useMemo, useState } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection, TwoColumns } from '../../../ui/form/form-layout.tsx';
import { PageForm } from '../../../ui/form/page-form.tsx';
import { SectionedPage } from '../../../ui/form/sectioned-page.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { KeyValueInput } from '../../../ui/inputs/key-value-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useCapabilityName } from '../../../ui/product/routing-decision-text.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { HeldPromptInput } from './body-change-and-prompt-hold-inputs.tsx';
import { BuyPricesInput } from './buy-prices-input.tsx';
import { changedFields, channelSchema, withEveryOption, withKnownOptions } from './channel-form-values.ts';
import { ChannelJsonEditor, jsonOf, readJson } from './channel-json-editor.tsx';
import { ModelsSection } from './models-section-and-selector.tsx';
import { BasicsSection } from './provider-and-keys-section.tsx';
import { DeadlinesSection, RequestsSection } from './requests-and-deadlines-section.tsx';

interface ChannelFormProps {
  providers: readonly Provider[];
  values: CreateChannel;
  /** Stored channel; undefined for a new one. */
  stored?: { id: ChannelId; keyHint: string; keyCount: number };
  /**
   * @param before initial values of the form
   * @returns the stored values, to which the form is reset; undefined when the user leaves the screen
   */
  onSave: (values: CreateChannel, before: CreateChannel) => Promise<CreateChannel | undefined>;
  /** Sections below the form that are not saved with it. */
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
  const [before, setBefore] = useState(values);
  const [json, setJson] = useState<string>();
  const asJson = (of: CreateChannel) => jsonOf(of, providers, stored === undefined);
  const contractForm: ContractForm<CreateChannel> = useContractForm<CreateChannel>({
    schema,
    values: withEveryOption(values, providers),
    onSubmit: async (sent) => {
      const provider = providers.find(({ type }) => type === sent.type);
      const saved = await onSave(withKnownOptions(sent, provider), before);
      if (saved === undefined) return;
      setBefore(saved);
      contractForm.form.reset(withEveryOption(saved, providers));
      if (json !== undefined) setJson(asJson(saved));
    },
  });
  const { control, formState, getValues, reset } = contractForm.form;
  const read = json === undefined ? undefined : readJson(json, schema, providers);
  const unreadable = read !== undefined && 'problems' in read;
  const changeJson = (text: string) => {
    setJson(text);
    const typed = readJson(text, schema, providers);
    // The form takes the text's values, so that leaving the JSON view and saving use them.
    if ('values' in typed) reset(withEveryOption(typed.values, providers), { keepDefaultValues: true });
  };
  const changed = changedFields(values);
  const content: Record<Section, ReactNode> = {
    basics: (
      <BasicsSection control={control} providers={providers} keyHint={stored?.keyHint} keyCount={stored?.keyCount} />
    ),
    models: <ModelsSection form={contractForm} providers={providers} id={stored?.id} changed={changed.models} />,
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
  const turn = (
    <Button
      size="small"
      color="inherit"
      sx={{ justifySelf: 'end' }}
      disabled={unreadable}
      onClick={() => setJson(json === undefined ? asJson(getValues()) : undefined)}
    >
      {t(json === undefined ? 'json.toJson' : 'json.toForm')}
    </Button>
  );
  return (
    <SectionedPage sections={read === undefined ? [...sections, ...extra] : extra}>
      <PageForm
        form={contractForm}
        unreadable={unreadable}
        {...(unreadable ? { summary: t('json.wrong') } : {})}
        onDiscard={() => {
          reset();
          if (json !== undefined) setJson(asJson(before));
        }}
      >
        {turn}
        {json !== undefined && read !== undefined ? (
          <SectionCard id="json" title={t('json.label')}>
            <ChannelJsonEditor
              text={json}
              read={read}
              before={before}
              errors={formState.errors}
              onChange={changeJson}
            />
          </SectionCard>
        ) : (
          sections.map(({ id, title }) => (
            <SectionCard key={id} id={id} title={title}>
              <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>{content[id]}</Box>
            </SectionCard>
          ))
        )}
      </PageForm>
      {extra.map(({ id, title, content: below }) => (
        <SectionCard key={id} id={id} title={title}>
          {below}
        </SectionCard>
      ))}
    </SectionedPage>
  );
}

/** Renders the operator's cost, which determines the margin, and the channel's spending cap. */
function CostSection({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  return (
    <>
      <NumberInput control={control} name="cost.ratio" label={t('costRatio')} hint={t('costRatioHint')} before="×" />
      <BuyPricesInput control={control} />
      <HeldPromptInput control={control} />
      <TwoColumns>
        {(['day', 'month'] as const).map((period) => (
          <PointsInput
            key={period}
            control={control}
            name={`caps.${period}`}
            label={t(`caps.${period}`)}
            help={t('caps.help')}
          />
        ))}
      </TwoColumns>
    </>
  );
}

interface SectionProps {
  control: Control<CreateChannel>;
  /** Number of folded fields that differ from their defaults. */
  changed: number;
}

/** Renders the groups that may use the channel and its order in channel selection. */
function RoutingSection({ control, changed }: SectionProps) {
  const { t } = useTranslation('channels');
  const capabilityName = useCapabilityName();
  return (
    <>
      <MultiSelectInput
        control={control}
        name="group"
        label={t('groups')}
        help={t('groupsHelp')}
        options={useGroupOptions()}
      />
      <FoldedSection title={t('order')} changed={changed} startOpen={changed > 0}>
        <TwoColumns>
          <NumberInput control={control} name="priority" label={t('priority')} hint={t('priorityHint')} />
          <NumberInput control={control} name="weight" label={t('weight')} hint={t('weightHint')} />
        </TwoColumns>
        <TextInput control={control} name="tag" label={t('tag')} help={t('tagHelp')} />
        <SwitchInput control={control} name="only_chat" label={t('onlyChat')} hint={t('onlyChatHint')} />
        <CheckChipsInput
          control={control}
          name="lacks"
          label={t('lacks')}
          help={t('lacksHelp')}
          options={toOptions(capability.options, (value) => capabilityName(value))}
        />
      </FoldedSection>
    </>
  );
}

function ConnectionSection({ control, changed }: SectionProps) {
  const { t } = useTranslation('channels');
  return (
    <FoldedSection title={t('proxyAndHeaders')} changed={changed} startOpen={changed > 0}>
      <TextInput
        control={control}
        name="proxy"
        label={t('proxy')}
        placeholder="socks5://user:password@host:1080"
        hint={t('keys.proxySession')}
        mono
      />
      <KeyValueInput
        control={control}
        name="model_headers"
        label={t('headers')}
        help={t('headersHelp')}
        hint={t('headersHint')}
        names={[t('headerName'), t('headerValue')]}
      />
    </FoldedSection>
  );
}

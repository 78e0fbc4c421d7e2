import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { ApiError } from '@switchyard/contract/http-exchange';
import { pointsAmount } from '@switchyard/contract/money';
import { type ReactNode, useState } from 'react';
import { z } from 'zod';
import { ConfirmButton } from '../../ui/actions/confirm-button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { DescriptionList } from '../../ui/display/description-list.tsx';
import { Moment, Money } from '../../ui/display/formatted-values.tsx';
import { Mono } from '../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../ui/feedback/empty-and-pending-panels.tsx';
import { ErrorPanel } from '../../ui/feedback/error-panel-and-link-alert.tsx';
import { notify, type ToastKind } from '../../ui/feedback/toasts.ts';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../ui/filters/filter-chip.tsx';
import { FoldedSection } from '../../ui/form/form-layout.tsx';
import { PageForm } from '../../ui/form/page-form.tsx';
import { useContractForm } from '../../ui/form/use-contract-form.ts';
import { MomentInput } from '../../ui/inputs/date-time-input.tsx';
import { JsonInput } from '../../ui/inputs/json-or-rows-input.tsx';
import { MultiSelectInput } from '../../ui/inputs/multi-select-input.tsx';
import { NumberInput, PointsInput } from '../../ui/inputs/number-input.tsx';
import { SecretInput } from '../../ui/inputs/secret-input.tsx';
import { SelectInput, SwitchInput } from '../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { SectionCard } from '../../ui/layout/section-card.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { DetailDrawer } from '../../ui/overlays/detail-drawer.tsx';
import { clientSnippets, SnippetTabs } from '../../ui/product/client-snippets.tsx';
import { ProviderLogo } from '../../ui/product/provider-logo.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { columnsFor } from '../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../ui/table/url-list-state.ts';

const tones: Tone[] = ['success', 'warning', 'error', 'info', 'neutral', 'primary'];
const anHourAgo = Math.floor(Date.now() / 1000) - 4000;
const kinds: ToastKind[] = ['success', 'info', 'warning', 'error'];
const vendors = [
  'openai',
  'anthropic',
  'azure',
  'gemini',
  'bedrock',
  'deepseek',
  'qwen',
  'mistral',
  'groq',
  'ollama',
  'unknown',
];
const text = '## Notice\n\nThe gateway restarts on **Sunday**. See [status](https://example.com).\n\n- `one`\n- two';

export function PartSection() {
  const [open, setOpen] = useState(false);
  return (
    <SectionCard title="Parts">
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <Row>
          {tones.map((tone) => (
            <StatusChip key={tone} tone={tone}>
              {tone}
            </StatusChip>
          ))}
        </Row>
        <Row>
          {vendors.map((vendor) => (
            <ProviderLogo key={vendor} provider={vendor} size={22} />
          ))}
        </Row>
        <Row>
          {kinds.map((kind) => (
            <Button key={kind} variant="outlined" color="inherit" onClick={() => notify(kind, `3 channels: ${kind}`)}>
              {kind}
            </Button>
          ))}
          <Button variant="contained" onClick={() => notify('success', '1 token disabled', { undo: () => {} })}>
            with undo
          </Button>
          <ConfirmButton
            variant="outlined"
            question={{ title: 'Delete 3 tokens?', text: 'Clients are refused.', verb: 'Delete', typed: '3' }}
            onConfirm={() => {}}
          >
            Confirm
          </ConfirmButton>
          <Button onClick={() => setOpen(true)}>Drawer</Button>
        </Row>
        <DescriptionList
          facts={[
            ['Money', <Money key="money" points={2100} />],
            ['Zero', <Money key="zero" points={0} />],
            ['Unknown', <Money key="unknown" points={undefined} />],
            ['Moment', <Moment key="moment" seconds={anHourAgo} />],
            ['Id', <Mono key="id">req_0198f2</Mono>],
            ['Copy', <CopyButton key="copy" text="req_0198f2" what="request id" />],
          ]}
        />
        <ErrorPanel
          error={new ApiError('internal', '', { status: 500, requestId: 'req_0198f2' })}
          onRetry={() => notify('info', 'again')}
        />
        <SnippetTabs label="First call" snippets={clientSnippets('https://ai.example.com', 'sk-…', 'gpt-5-mini')} />
        <Markdown text={text} pictures />
        <EmptyState action={<Button variant="contained">New channel</Button>}>No channel answers calls yet.</EmptyState>
      </Box>
      <DetailDrawer open={open} onClose={() => setOpen(false)} title="A record">
        Details
      </DetailDrawer>
    </SectionCard>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>{children}</Box>;
}

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
          <MultiSelectInput control={control} name="models" label="Models" options={models} free />
          <JsonInput control={control} name="mapping" label="Mapping" />
        </FoldedSection>
      </PageForm>
    </SectionCard>
  );
}

interface Channel {
  name: string;
  status: 'enabled' | 'disabled';
  latency: number;
}

const column = columnsFor<Channel>();
const columns = [
  column.field('name', 'Name', { sortable: true, card: 'title' }),
  column.field('status', 'Status', {
    card: 'state',
    cell: (status) => <StatusChip tone={status === 'enabled' ? 'success' : 'neutral'}>{status}</StatusChip>,
  }),
  column.field('latency', 'Latency', { card: 'figure', align: 'end' }),
];
const rows: Channel[] = Array.from({ length: 8 }, (_, index) => ({
  name: `openai-${index}`,
  status: index % 3 === 0 ? 'disabled' : 'enabled',
  latency: 300 + index * 40,
}));
const query = { data: { data: rows, total_count: 213 }, isFetching: false, error: null, refetch: () => {} };

export function TableSection() {
  const list = useListState(['status'], 'name');
  return (
    <DataTable
      name="gallery"
      label="Channels"
      columns={columns}
      list={list}
      query={query}
      rowId={(row) => row.name}
      onOpen={() => {}}
      renderBulkActions={(chosen) => (
        <Button size="small" variant="outlined">
          Disable {chosen.length}
        </Button>
      )}
      filterBar={
        <FilterBar list={list} placeholder="Name, model, key">
          <FilterChips
            list={list}
            chips={[{ name: 'status', label: 'Status', options: [{ value: 'enabled', label: 'Enabled' }] }]}
          />
        </FilterBar>
      }
      totals={<span>total used $1,204.31</span>}
      empty={<EmptyState>None</EmptyState>}
    />
  );
}

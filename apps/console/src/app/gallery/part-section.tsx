import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { ApiError } from '@switchyard/contract/http-exchange';
import { type ReactNode, useState } from 'react';
import { ConfirmButton } from '../../ui/actions/confirm-button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { StatusChip, type Tone } from '../../ui/display/chips.tsx';
import { DescriptionList } from '../../ui/display/description-list.tsx';
import { Moment, Money } from '../../ui/display/inline-values.tsx';
import { Mono } from '../../ui/display/mono.tsx';
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx';
import { EmptyState } from '../../ui/feedback/panels.tsx';
import { notify, type ToastKind } from '../../ui/feedback/toasts.ts';
import { SectionCard } from '../../ui/layout/section-card.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { DetailDrawer } from '../../ui/overlays/detail-drawer.tsx';
import { clientSnippets, SnippetTabs } from '../../ui/product/client-snippets.tsx';
import { ProviderLogo } from '../../ui/product/provider-logo.tsx';

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

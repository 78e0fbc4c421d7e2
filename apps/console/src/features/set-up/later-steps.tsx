import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { createApiKey as newApiKey } from '@switchyard/contract/api-keys';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { clientSnippets } from '../../ui/client-snippets.ts';
import { CodeBlock, SnippetTabs } from '../../ui/code-block.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { createApiKey } from '../api-keys/queries.ts';
import { useServerAddress } from '../site/queries.ts';

function StepFrame({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box>
        <Typography variant="h2">{title}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text}
        </Typography>
      </Box>
      {children}
    </Box>
  );
}

export function ChannelStep({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('set-up');
  return (
    <StepFrame title={t('channel.title')} text={t('channel.text')}>
      <Button variant="contained" onClick={onDone} sx={{ justifySelf: 'start' }}>
        {t('later')}
      </Button>
    </StepFrame>
  );
}

export function TokenStep({ onDone }: { onDone: (key: string) => void }) {
  const { t } = useTranslation('set-up');
  const notifyError = useNotifyError();
  const create = useMutation({
    mutationFn: () => createApiKey(newApiKey.parse({ name: t('token.name'), unlimited_quota: true })),
    onSuccess: ({ key }) => onDone(key),
    onError: notifyError,
  });
  return (
    <StepFrame title={t('token.title')} text={t('token.text')}>
      <Button
        variant="contained"
        loading={create.isPending}
        onClick={() => create.mutate()}
        sx={{ justifySelf: 'start' }}
      >
        {t('token.create')}
      </Button>
    </StepFrame>
  );
}

export function CallStep({ apiKey }: { apiKey: string }) {
  const { t } = useTranslation('set-up');
  const address = useServerAddress();
  return (
    <StepFrame title={t('call.title')} text={t('call.text')}>
      <CodeBlock code={apiKey} label={t('step.token')} />
      <SnippetTabs label={t('call.title')} snippets={clientSnippets(address, apiKey, 'gpt-5-mini')} />
      <LinkButton to="/panel" variant="contained" sx={{ justifySelf: 'start' }}>
        {t('finish')}
      </LinkButton>
    </StepFrame>
  );
}

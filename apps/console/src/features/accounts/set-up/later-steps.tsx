import Button from '@mui/material/Button';
import { createApiKey as newApiKey } from '@switchyard/contract/accounts/api-keys';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { clientSnippets } from '../../../ui/product/client-snippets.ts';
import { SnippetTabs } from '../../../ui/product/snippet-tabs.tsx';
import { useServerAddress } from '../../site/site/queries.ts';
import { createApiKey } from '../api-keys/queries.ts';
import { StepFrame } from './step-frame.tsx';

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

import Box from '@mui/material/Box';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { createClient } from '@switchyard/contract/client';
import { type ApiKeyId, apiKeyId } from '@switchyard/contract/ids';
import { type Quote, type QuoteRequest, quote } from '@switchyard/contract/playground/quote';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { parseObject, QuoteForm, type QuoteValues, sampleRequests } from './quote-form.tsx';
import { QuotePanel } from './quote-result.tsx';

interface QuoteCheckProps {
  keys: readonly ApiKey[];
  models: readonly string[];
  /** Token that is selected at first. */
  startKey: ApiKeyId | undefined;
}

/** Shows the request and, beside it, the quote. */
export function QuoteCheck({ keys, models, startKey }: QuoteCheckProps) {
  const { t } = useTranslation('quote');
  const ask = useAskQuote();
  // Kept while the next quote loads, so that the page does not jump.
  const [answer, setAnswer] = useState<Quote>();
  const { control, handleSubmit, reset, setError, formState } = useForm<QuoteValues>({
    defaultValues: { token: String(startKey ?? ''), path: '/v1/chat/completions', bodies: sampleRequests(models) },
  });
  const check = handleSubmit((values) => {
    const { token, path, bodies } = values;
    const request = parseObject(bodies[path]);
    if (request === undefined) {
      setError(`bodies.${path}`, { message: t('notObject') });
      return;
    }
    // Later changes of the form make the quote outdated.
    reset(values);
    ask.mutate({ token_id: token === '' ? null : apiKeyId.parse(token), path, request }, { onSuccess: setAnswer });
  });
  return (
    <Box sx={columns}>
      <SectionCard title={t('request')}>
        <QuoteForm
          control={control}
          keys={keys}
          startKey={startKey}
          checking={ask.isPending}
          onSubmit={() => void check()}
        />
      </SectionCard>
      <QuotePanel
        answer={answer}
        error={ask.error}
        checking={ask.isPending}
        isOutdated={formState.isDirty}
        onRetry={() => void check()}
      />
    </Box>
  );
}

const columns = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
  gap: 2,
  alignItems: 'start',
} as const;

const api = createClient(quote, send);

/** Requests a quote. No query is invalidated, because a quote changes nothing. */
const useAskQuote = () => useMutation({ mutationFn: (body: QuoteRequest) => api.ask({ body }) });

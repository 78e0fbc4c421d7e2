import Box from '@mui/material/Box';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { type ApiKeyId, apiKeyId } from '@switchyard/contract/ids';
import type { Quote } from '@switchyard/contract/playground/quote';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useAskQuote } from './queries.ts';
import { QuoteForm } from './quote-form.tsx';
import { QuotePanel } from './quote-panel.tsx';
import { parseObject, type QuoteValues, sampleRequests } from './sample-requests.ts';

interface QuoteCheckProps {
  keys: readonly ApiKey[];
  /** Names of the models that the user may call. */
  models: readonly string[];
  /** The token to begin with. */
  startKey: ApiKeyId | undefined;
}

/** The question and, beside it, the answer. */
export function QuoteCheck({ keys, models, startKey }: QuoteCheckProps) {
  const { t } = useTranslation('quote');
  const ask = useAskQuote();
  // Stays while the same is asked again, so that the page does not jump.
  const [answer, setAnswer] = useState<Quote>();
  const { control, handleSubmit, reset, setError, formState } = useForm<QuoteValues>({
    defaultValues: {
      token: String(startKey ?? ''),
      path: '/v1/chat/completions',
      bodies: sampleRequests(models),
    },
  });
  const check = handleSubmit((values) => {
    const { token, path, bodies } = values;
    const request = parseObject(bodies[path]);
    if (request === undefined) {
      setError(`bodies.${path}`, { message: t('notObject') });
      return;
    }
    // What is changed from here on is not what the answer is about.
    reset(values);
    ask.mutate(
      { token_id: token === '' ? null : apiKeyId.parse(token), path, request },
      { onSuccess: setAnswer },
    );
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

import Typography from '@mui/material/Typography';
import { apiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { apiKeyListQuery } from '../../accounts/api-keys/queries.ts';
import { ownModelsQuery } from '../../catalog/models/queries.ts';
import { QuoteCheck } from './quote-check.tsx';

/** As many tokens as one page of the list may hold; the address can name any other. */
const ownKeysQuery = apiKeyListQuery({ size: 100, order: 'name' });

/** What a request would meet and cost, without sending it. `?token=` chooses a token. */
export function QuotePage() {
  const { t } = useTranslation('quote');
  const [token] = useSearchParam('token');
  const keys = useQuery(ownKeysQuery);
  // Only the sample is made from them, so the page goes on without.
  const models = useQuery(ownModelsQuery);
  return (
    <>
      <PageHeader title={t('title')} />
      <Typography sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>{t('intro')}</Typography>
      {keys.data === undefined || models.isPending ? (
        <PendingPanel error={keys.error} refetch={keys.refetch} height={480} />
      ) : (
        <QuoteCheck
          key={token}
          keys={keys.data.data}
          models={models.data ?? []}
          startKey={apiKeyId.safeParse(token).data}
        />
      )}
    </>
  );
}

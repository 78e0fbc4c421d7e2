import Typography from '@mui/material/Typography';
import { apiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { apiKeyListQuery } from '../../accounts/api-keys/queries.ts';
import { ownModelsQuery } from '../../catalog/models/queries.ts';
import { QuoteCheck } from './quote-check.tsx';

/** Query for one page of the user's tokens at the maximum size; the URL can name any other token. */
const ownKeysQuery = apiKeyListQuery({ size: 100, order: 'name' });

/** Shows routing, limits and cost of a request without sending it. `?token=` selects a token. */
export function QuotePage() {
  const { t } = useTranslation('quote');
  const [token] = useSearchParam('token');
  const keys = useQuery(ownKeysQuery);
  // The models serve only the sample request, so the page does not wait for them.
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

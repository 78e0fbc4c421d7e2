import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { LinkToCopy } from '../../../ui/display/link-to-copy.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { clientSnippets } from '../../../ui/product/client-snippets.ts';
import { SnippetTabs } from '../../../ui/product/snippet-tabs.tsx';
import { ownModelsQuery, usualModel } from '../../catalog/models/queries.ts';
import { useServerAddress } from '../../site/site/queries.ts';

/** The address for one's own programs, and a first call; whoever pastes it puts a token in. */
export function QuickStart() {
  const { t } = useTranslation('dashboard');
  const address = useServerAddress();
  const model = usualModel(useQuery(ownModelsQuery).data);
  return (
    <SectionCard
      title={t('quickStart')}
      actions={
        <LinkButton to={paths.apiKeys} size="small" color="inherit">
          {t('toTokens')}
        </LinkButton>
      }
    >
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('quickStartText')}
        </Typography>
        <LinkToCopy link={`${address}/v1`} what={t('baseUrl')} />
        {model !== undefined && (
          <SnippetTabs label={t('quickStart')} snippets={clientSnippets(address, t('yourToken'), model)} />
        )}
      </Box>
    </SectionCard>
  );
}

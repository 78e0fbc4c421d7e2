import Box from '@mui/material/Box';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { monoFont } from '../../ui/fonts.ts';
import { LinkButton } from '../../ui/link.tsx';
import { PriceWarning } from './price-warning.tsx';
import { unpricedQuery } from './queries.ts';

/** Models that channels offer without a price; each is one click from having one. */
export function UnpricedBanner({ onAdd }: { onAdd: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const models = useQuery(unpricedQuery).data ?? [];
  const tasks = models.map((model) => ({
    key: model,
    label: t('addPriceFor', { model }),
    icon: <IconPlus size={14} />,
    name: (
      <Box component="span" sx={{ fontFamily: monoFont }}>
        {model}
      </Box>
    ),
    onClick: () => onAdd(model),
  }));
  return (
    <PriceWarning message={t('unpriced', { count: models.length })} tasks={tasks}>
      <LinkButton to={paths.catalogue} size="small" color="inherit">
        {t('fixUnpriced')}
      </LinkButton>
    </PriceWarning>
  );
}

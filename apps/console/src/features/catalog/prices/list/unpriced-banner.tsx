import Box from '@mui/material/Box';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../../paths.ts';
import { LinkButton } from '../../../../ui/display/link.tsx';
import { monoFont } from '../../../../ui/theme/fonts.ts';
import { unpricedQuery } from '../queries.ts';
import { PriceWarning } from './price-warning.tsx';

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

import Box from '@mui/material/Box';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { monoFont } from '../../../../ui/theme/fonts.ts';
import { missingRatesQuery } from '../queries.ts';
import { PriceWarning } from './price-warning.tsx';

/** Counters that calls used and that their price has no rate for; each is one click from its price. */
export function MissingRatesBanner({ onEdit }: { onEdit: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const missing = useQuery(missingRatesQuery).data ?? [];
  const tasks = missing.map(({ model, counter }) => ({
    key: `${model} ${counter}`,
    label: t('setRateFor', { model, counter: t(`kind.${counter}`) }),
    icon: <IconPencil size={14} />,
    name: (
      <>
        <Box component="span" sx={{ fontFamily: monoFont }}>
          {model}
        </Box>
        {t(`kind.${counter}`)}
      </>
    ),
    onClick: () => onEdit(model),
  }));
  return <PriceWarning message={t('missingRates', { count: missing.length })} tasks={tasks} />;
}

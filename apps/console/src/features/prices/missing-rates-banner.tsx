import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { monoFont } from '../../ui/fonts.ts';
import { missingRatesQuery } from './queries.ts';

/** As many as fit above the table without pushing it down. */
const SHOWN = 5;

/** Counters that calls used and that their price has no rate for; each is one click from its price. */
export function MissingRatesBanner({ onEdit }: { onEdit: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const missing = useQuery(missingRatesQuery).data ?? [];
  const [everyOne, setEveryOne] = useState(false);
  if (missing.length === 0) return null;
  const shown = everyOne ? missing : missing.slice(0, SHOWN);
  return (
    <Alert severity="warning" sx={{ mb: 1.5, py: 0.25 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        {t('missingRates', { count: missing.length })}
        {shown.map(({ model, counter }) => (
          <Button
            key={`${model} ${counter}`}
            size="small"
            variant="outlined"
            color="inherit"
            startIcon={<IconPencil size={14} />}
            aria-label={t('setRateFor', { model, counter: t(`kind.${counter}`) })}
            onClick={() => onEdit(model)}
            sx={{ fontSize: '0.75rem', textTransform: 'none', gap: 0.5 }}
          >
            <Box component="span" sx={{ fontFamily: monoFont }}>
              {model}
            </Box>
            {t(`kind.${counter}`)}
          </Button>
        ))}
        {missing.length > shown.length && (
          <Button size="small" color="inherit" onClick={() => setEveryOne(true)}>
            {t('showMore', { count: missing.length - shown.length })}
          </Button>
        )}
      </Box>
    </Alert>
  );
}

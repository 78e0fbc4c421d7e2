import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { monoFont } from '../../ui/fonts.ts';
import { LinkButton } from '../../ui/link.tsx';
import { unpricedQuery } from './queries.ts';

/** As many as fit above the table without pushing it down. */
const SHOWN = 5;

/** Models that channels offer without a price; each is one click from having one. */
export function UnpricedBanner({ onAdd }: { onAdd: (model: string) => void }) {
  const { t } = useTranslation('prices');
  const models = useQuery(unpricedQuery).data ?? [];
  const [everyOne, setEveryOne] = useState(false);
  if (models.length === 0) return null;
  const shown = everyOne ? models : models.slice(0, SHOWN);
  return (
    <Alert severity="warning" sx={{ mb: 1.5, py: 0.25 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        {t('unpriced', { count: models.length })}
        {shown.map((model) => (
          <Button
            key={model}
            size="small"
            variant="outlined"
            color="inherit"
            startIcon={<IconPlus size={14} />}
            aria-label={t('addPriceFor', { model })}
            onClick={() => onAdd(model)}
            sx={{ fontFamily: monoFont, fontSize: '0.75rem', textTransform: 'none' }}
          >
            {model}
          </Button>
        ))}
        {models.length > shown.length && (
          <Button size="small" color="inherit" onClick={() => setEveryOne(true)}>
            {t('showMore', { count: models.length - shown.length })}
          </Button>
        )}
        <LinkButton to={paths.catalogue} size="small" color="inherit">
          {t('fixUnpriced')}
        </LinkButton>
      </Box>
    </Alert>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Money } from '../../../../ui/display/money.tsx';
import { notify } from '../../../../ui/feedback/notices.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { openOutside } from '../../../../ui/markdown/open-outside.ts';
import { useSelf } from '../../../accounts/session/queries.ts';
import { useSite } from '../../../site/site/queries.ts';

/** Shows the remaining balance, and the link to an external shop. */
export function BalanceCard() {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const self = useSelf();
  const link = useSite()?.top_up_link ?? '';
  const goToShop = () => {
    if (link === '') notify('error', t('noLink'));
    else openOutside(link);
  };
  return (
    <SectionCard title={t('balance')}>
      <Box aria-live="polite">
        <Typography sx={{ fontSize: '1.75rem', fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
          <Money points={self?.quota} />
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
          {t('used', { amount: format.points(self?.used_quota) })}
        </Typography>
      </Box>
      <Button
        variant="outlined"
        color="inherit"
        fullWidth
        startIcon={<IconExternalLink size={18} />}
        onClick={goToShop}
      >
        {t('buyElsewhere')}
      </Button>
    </SectionCard>
  );
}

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { useSite } from '../../../site/site/queries.ts';
import { paymentOptionsQuery } from '../../orders/queries.ts';
import { discountsFrom } from '../balance/top-up-amounts-and-discounts.ts';
import { BuyForm } from './buy-balance-form.tsx';

interface BuyCardProps {
  onOrdered: (tradeNo: string) => void;
}

/** Sells balance through the site's payment options, if there are any. */
export function BuyCard({ onOrdered }: BuyCardProps) {
  const { t } = useTranslation('top-up');
  const { data: offers, error, refetch } = useQuery(paymentOptionsQuery);
  const site = useSite();
  return (
    <SectionCard title={t('buy')}>
      {(offers === undefined || site === undefined) && <PendingPanel error={error} refetch={refetch} height={320} />}
      {offers?.length === 0 && <Typography sx={{ color: 'text.secondary', py: 2 }}>{t('noGateway')}</Typography>}
      {offers !== undefined && offers.length > 0 && site !== undefined && (
        <Box>
          <BuyForm
            offers={offers}
            discounts={discountsFrom(site.RechargeDiscount)}
            minimum={site.PaymentMinAmount}
            terms={site.top_up_terms}
            onOrdered={onOrdered}
          />
        </Box>
      )}
    </SectionCard>
  );
}

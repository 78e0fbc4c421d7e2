import Box from '@mui/material/Box';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { Offer } from '@switchyard/contract/billing/orders';
import { MICROS } from '@switchyard/contract/billing/top-up-cost';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../../ui/display/name.tsx';
import { StatusChip } from '../../../../ui/display/status-chip.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { GatewayMark } from '../../../../ui/product/gateway-mark.tsx';

interface GatewayChoiceProps {
  offers: readonly Offer[];
  chosen: string | undefined;
  onChoose: (uuid: string) => void;
}

/** Ways to pay, as cards of which one is chosen. */
export function GatewayChoice({ offers, chosen, onChoose }: GatewayChoiceProps) {
  const { t } = useTranslation('top-up');
  const labelId = useId();
  return (
    <Box>
      <Box id={labelId} sx={{ fontSize: '0.8125rem', fontWeight: 500, mb: 0.5 }}>
        {t('payWith')}
      </Box>
      <RadioGroup
        aria-labelledby={labelId}
        value={chosen ?? ''}
        onChange={(_, value) => onChoose(value)}
        sx={{ display: 'grid', gap: 1, gridTemplateColumns: { sm: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {offers.map((offer) => (
          <GatewayCard key={offer.uuid} offer={offer} chosen={offer.uuid === chosen} />
        ))}
      </RadioGroup>
    </Box>
  );
}

function GatewayCard({ offer, chosen }: { offer: Offer; chosen: boolean }) {
  const { t } = useTranslation('top-up');
  const fee = useFeeText(offer);
  return (
    <Box
      component="label"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.25,
        minHeight: 56,
        pr: 1.5,
        borderRadius: 1,
        border: 1,
        cursor: 'pointer',
        borderColor: chosen ? 'primary.main' : 'divider',
        bgcolor: chosen ? 'primary.soft' : 'background.paper',
      }}
    >
      <Radio value={offer.uuid} size="small" sx={{ mr: -0.75 }} />
      <GatewayMark type={offer.type} icon={offer.icon} size={24} />
      <Box sx={{ minWidth: 0, flexGrow: 1, overflowWrap: 'anywhere' }}>
        <Box sx={{ fontWeight: 500 }}>
          <Name id={offer.uuid}>{offer.name}</Name>
        </Box>
        <Box sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>{fee}</Box>
      </Box>
      {offer.sandbox && <StatusChip tone="warning">{t('sandbox')}</StatusChip>}
    </Box>
  );
}

/** "2.9% + $0.30"; nothing added is said as well. */
function useFeeText({ fixed_fee, percent_fee }: Offer): string {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const percent = percent_fee > 0 ? format.percent(percent_fee / MICROS, 2) : undefined;
  const fixed = fixed_fee > 0 ? format.usd(fixed_fee / MICROS) : undefined;
  const parts = [percent, fixed].filter((part) => part !== undefined);
  return parts.length === 0 ? t('noFee') : t('feeOf', { fee: parts.join(' + ') });
}

import Box from '@mui/material/Box';
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import {
  type Icon,
  IconBrandAlipay,
  IconBrandStripe,
  IconBrandWechat,
  IconBuildingBank,
  IconCreditCard,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Name } from '../display/formatted-values.tsx';

const icons: Readonly<Record<PaymentProviderType, Icon>> = {
  stripe: IconBrandStripe,
  alipay: IconBrandAlipay,
  wxpay: IconBrandWechat,
  epay: IconCreditCard,
  manual: IconBuildingBank,
};

interface GatewayMarkProps {
  type: PaymentProviderType;
  /** URL of the operator's icon; empty for the type's icon. */
  icon?: string;
  size?: number;
}

/** Shows a payment provider's icon beside its name, hidden from screen readers. */
export function PaymentProviderIcon({ type, icon = '', size = 20 }: GatewayMarkProps) {
  const Mark = icons[type];
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ display: 'inline-flex', flexShrink: 0, color: 'text.secondary', lineHeight: 0 }}
    >
      {icon === '' ? (
        <Mark size={size} stroke={1.5} />
      ) : (
        <img src={icon} width={size} height={size} alt="" loading="lazy" style={{ objectFit: 'contain' }} />
      )}
    </Box>
  );
}

interface GatewayNameProps {
  id: number;
  type: PaymentProviderType;
  /** URL of the operator's icon. */
  icon?: string;
  name: string;
  /** Content after the name. */
  chip?: ReactNode;
}

/** Shows a payment provider's icon and name in a list. */
export function PaymentProviderName({ id, type, icon = '', name, chip }: GatewayNameProps) {
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, maxWidth: '100%', verticalAlign: 'middle' }}
    >
      <PaymentProviderIcon type={type} icon={icon} size={18} />
      <Name id={id}>{name}</Name>
      {chip}
    </Box>
  );
}

import Box from '@mui/material/Box';
import type { ProcessorType } from '@switchyard/contract/billing/payment-provider-types';
import type { ReactNode } from 'react';
import { Name } from '../display/name.tsx';
import { PaymentProviderIcon } from './payment-provider-label.tsx';

interface GatewayNameProps {
  id: number;
  type: ProcessorType;
  /** Address of the operator's picture. */
  icon?: string;
  name: string;
  /** After the name. */
  chip?: ReactNode;
}

/** A payment gateway in a list. */
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

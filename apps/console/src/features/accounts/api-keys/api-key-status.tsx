import type { ApiKeyStatus } from '@switchyard/contract/codes';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/chips.tsx';

export const statuses = [
  'enabled',
  'disabled',
  'expired',
  'exhausted',
] as const satisfies readonly ApiKeyStatus[];

const tones: Record<ApiKeyStatus, Tone> = {
  enabled: 'success',
  disabled: 'neutral',
  expired: 'warning',
  exhausted: 'warning',
};

export function ApiKeyStatusChip({ status }: { status: ApiKeyStatus }) {
  const { t } = useTranslation('api-keys');
  return <StatusChip tone={tones[status]}>{t(`statusName.${status}`)}</StatusChip>;
}

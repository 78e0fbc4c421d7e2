import type { SeenApiKey } from '@switchyard/contract/accounts/api-keys';
import { useTranslation } from 'react-i18next';
import { UsageBar } from '../../../ui/display/bars.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Shows how much a token has spent and how much it may still spend. */
export function ApiKeyUsage({ apiKey }: { apiKey: SeenApiKey }) {
  const { t } = useTranslation('api-keys');
  const format = useFormat();
  const used = format.points(apiKey.used_quota);
  if (apiKey.unlimited_quota) return t('usedUnlimited', { used });
  return (
    <UsageBar
      used={apiKey.used_quota}
      left={apiKey.remain_quota}
      label={t('usedOf', { used, left: format.points(apiKey.remain_quota) })}
    />
  );
}

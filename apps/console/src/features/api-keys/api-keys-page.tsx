import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/page-header.tsx';

export function ApiKeysPage() {
  const { t } = useTranslation('api-keys');
  return <PageHeader title={t('title')} />;
}

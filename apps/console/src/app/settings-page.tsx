import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { DeliveryList } from '../features/alerts/delivery-list.tsx';
import { DestinationList } from '../features/alerts/destination-list.tsx';
import { TestRuns } from '../features/channels/test-runs.tsx';
import { MailQueue } from '../features/mail/mail-queue.tsx';
import { MailTest } from '../features/mail/mail-test.tsx';
import { KeyRotation } from '../features/secrets/key-rotation.tsx';
import { ServiceTests } from '../features/service-tests/service-tests.tsx';
import { OldRecords } from '../features/settings/old-records.tsx';
import { settingsQuery } from '../features/settings/queries.ts';
import { type SettingFooters, SettingsForm } from '../features/settings/settings-form.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { PageHeader } from '../ui/page-header.tsx';

const footers: SettingFooters = {
  log: <OldRecords />,
  monitoring: <TestRuns />,
  alerts: (
    <>
      <DestinationList owner="site" />
      <DeliveryList owner="site" />
    </>
  ),
  mail: (
    <>
      <MailTest />
      <MailQueue />
    </>
  ),
  security: <KeyRotation />,
  'sign-in': <ServiceTests services={['github', 'oidc', 'lark', 'wechat', 'telegram']} />,
  tasks: <ServiceTests services={['s3']} />,
  registration: <ServiceTests services={['turnstile']} />,
};

/** What the operator sets while the gateway runs. */
export function SettingsPage() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title={t('title')} />
      {data === undefined && error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <Skeleton variant="rounded" height={480} sx={{ maxWidth: 760 }} />
      )}
      {data !== undefined && <SettingsForm stored={data} footers={footers} />}
    </>
  );
}

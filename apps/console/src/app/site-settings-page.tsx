import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { TestRuns } from '../features/channels/channel-tests/scheduled-test-runs.tsx';
import { KeyRotation } from '../features/operations/data-keys/key-rotation.tsx';
import { MailQueue, MailTest } from '../features/operations/mail/mail-queue-and-test-mail.tsx';
import { DeliveryAttemptList } from '../features/operations/notifications/delivery-attempt-list.tsx';
import { NotificationTargetList } from '../features/operations/notifications/notification-target-list.tsx';
import { ServiceTests } from '../features/operations/service-connection-tests/service-tests.tsx';
import { DeleteOldRecords } from '../features/operations/settings/delete-old-usage-records.tsx';
import { settingsQuery } from '../features/operations/settings/queries.ts';
import { type SettingFooters, SettingsForm } from '../features/operations/settings/settings-form.tsx';
import { ErrorPanel } from '../ui/feedback/error-panel-and-link-alert.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';

const footers: SettingFooters = {
  log: <DeleteOldRecords />,
  monitoring: <TestRuns />,
  alerts: (
    <>
      <NotificationTargetList owner="site" />
      <DeliveryAttemptList owner="site" />
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

export function SettingsPage() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title={t('title')} />
      {data === undefined && error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton variant="rounded" height={480} sx={{ maxWidth: 760 }} />}
      {data !== undefined && <SettingsForm stored={data} footers={footers} />}
    </>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { type ApiKey, NEVER } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Facts } from '../../../ui/display/facts.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useGroupName } from '../user-groups/queries.ts';
import { ApiKeyBudgets } from './api-key-budgets.tsx';
import { ApiKeyMenu } from './api-key-menu.tsx';
import { ApiKeySecret } from './api-key-secret.tsx';
import { ApiKeyStatusChip } from './api-key-status.tsx';
import { ApiKeyUsage } from './api-key-usage.tsx';
import { apiKeyQuery } from './queries.ts';

interface ApiKeyDrawerProps {
  id: ApiKeyId | undefined;
  onClose: () => void;
  onEdit: (id: ApiKeyId) => void;
  onNewKey: (key: string) => void;
}

export function ApiKeyDrawer({ id, onClose, onEdit, onNewKey }: ApiKeyDrawerProps) {
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={id === undefined ? '' : <Title id={id} />}>
      {id !== undefined && <Details id={id} onEdit={onEdit} onNewKey={onNewKey} />}
    </DetailDrawer>
  );
}

function Title({ id }: { id: ApiKeyId }) {
  const apiKey = useQuery(apiKeyQuery(id)).data;
  if (apiKey === undefined) return <Skeleton width={160} />;
  return <Name id={id}>{apiKey.name}</Name>;
}

function Details({
  id,
  onEdit,
  onNewKey,
}: { id: ApiKeyId } & Pick<ApiKeyDrawerProps, 'onEdit' | 'onNewKey'>) {
  const { t } = useTranslation('common');
  const { data: apiKey, error, refetch } = useQuery(apiKeyQuery(id));
  if (apiKey === undefined) return <PendingPanel error={error} refetch={refetch} height={240} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <ApiKeyStatusChip status={apiKey.status} />
        <Box sx={{ flexGrow: 1 }} />
        <Button size="small" variant="outlined" color="inherit" onClick={() => onEdit(id)}>
          {t('edit')}
        </Button>
        <ApiKeyMenu apiKey={apiKey} onEdit={() => onEdit(id)} onNewKey={onNewKey} />
      </Box>
      <KeyFacts apiKey={apiKey} />
      <ApiKeySecret apiKey={apiKey} />
    </Box>
  );
}

function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const groupName = useGroupName();
  const { limit_model_setting: models, limits_ip_setting: addresses } = apiKey.setting.limits;
  const { heartbeat, strict_translation: isStrict } = apiKey.setting;
  return (
    <Facts
      facts={[
        [t('usage'), <ApiKeyUsage key="usage" apiKey={apiKey} />],
        [t('budgets'), <ApiKeyBudgets key="budgets" apiKey={apiKey} />],
        [t('group'), apiKey.group === '' ? t('ownGroup') : groupName(apiKey.group)],
        ...(apiKey.ratio === 1 ? [] : [[t('ratio'), `×${apiKey.ratio}`] as const]),
        [t('backupGroup'), apiKey.backup_group === '' ? t('none') : groupName(apiKey.backup_group)],
        [t('rate'), apiKey.api_rate === 0 ? t('groupRate') : t('perMinute', { count: apiKey.api_rate })],
        [t('models'), models.enabled ? models.models.join(', ') : t('all')],
        [t('addresses'), addresses.enabled ? addresses.whitelist.join(', ') : t('all')],
        [
          t('heartbeat'),
          heartbeat.enabled ? t('everySeconds', { count: heartbeat.timeout_seconds }) : t('off'),
        ],
        [t('strict'), isStrict ? t('on') : t('off')],
        [
          t('lastUsed'),
          apiKey.accessed_time === 0 ? t('neverUsed') : <Moment key="used" seconds={apiKey.accessed_time} />,
        ],
        [
          t('expires'),
          apiKey.expired_time === NEVER ? t('never') : <Moment key="end" seconds={apiKey.expired_time} />,
        ],
        [t('created'), <Moment key="made" seconds={apiKey.created_time} />],
      ]}
    />
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { type ApiKey, NEVER } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { IconCopy, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { clientSnippets, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { useServerAddress } from '../../site/site/queries.ts';
import { useGroupName } from '../user-groups/queries.ts';
import { ApiKeyStatusChip } from './api-key-columns.tsx';
import { ApiKeyMenu, useExampleModel, useSecretKey } from './api-key-menu-and-actions.tsx';
import { ApiKeyBudgets, ApiKeyUsage } from './api-key-usage-and-budgets.tsx';
import { ChatClientLinks } from './chat-client-links.tsx';
import { apiKeyQuery } from './queries.ts';

interface ApiKeyDetailsDrawerProps {
  id: ApiKeyId | undefined;
  onClose: () => void;
  onEdit: (id: ApiKeyId) => void;
  onNewKey: (key: string) => void;
}

export function ApiKeyDetailsDrawer({ id, onClose, onEdit, onNewKey }: ApiKeyDetailsDrawerProps) {
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

function Details({ id, onEdit, onNewKey }: { id: ApiKeyId } & Pick<ApiKeyDetailsDrawerProps, 'onEdit' | 'onNewKey'>) {
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
    <DescriptionList
      facts={[
        [t('usage'), <ApiKeyUsage key="usage" apiKey={apiKey} />],
        [t('budgets'), <ApiKeyBudgets key="budgets" apiKey={apiKey} />],
        [t('group'), apiKey.group === '' ? t('ownGroup') : groupName(apiKey.group)],
        ...(apiKey.ratio === 1 ? [] : [[t('ratio'), `×${apiKey.ratio}`] as const]),
        [t('backupGroup'), apiKey.backup_group === '' ? t('none') : groupName(apiKey.backup_group)],
        [t('rate'), apiKey.api_rate === 0 ? t('groupRate') : t('perMinute', { count: apiKey.api_rate })],
        [t('models'), models.enabled ? models.models.join(', ') : t('all')],
        [t('addresses'), addresses.enabled ? addresses.whitelist.join(', ') : t('all')],
        [t('heartbeat'), heartbeat.enabled ? t('everySeconds', { count: heartbeat.timeout_seconds }) : t('off')],
        [t('strict'), isStrict ? t('on') : t('off')],
        [
          t('lastUsed'),
          apiKey.accessed_time === 0 ? t('neverUsed') : <Moment key="used" seconds={apiKey.accessed_time} />,
        ],
        [t('expires'), apiKey.expired_time === NEVER ? t('never') : <Moment key="end" seconds={apiKey.expired_time} />],
        [t('created'), <Moment key="made" seconds={apiKey.created_time} />],
      ]}
    />
  );
}

/** Shows the key on demand, with code snippets and the operator's chat clients. */
function ApiKeySecret({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const { key, reveal, copy, hide } = useSecretKey(apiKey.id);
  const address = useServerAddress();
  const model = useExampleModel();

  return (
    <>
      <Box sx={{ display: 'grid', gap: 1 }}>
        <Typography variant="h3">{t('key')}</Typography>
        <Box sx={{ overflowWrap: 'anywhere' }}>
          <Mono>{key ?? apiKey.key}</Mono>
        </Box>
        {apiKey.revealable ? (
          <KeyButtons shown={key !== undefined} onCopy={copy} onReveal={reveal} onHide={hide} />
        ) : (
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {t('shownOnce')}
          </Typography>
        )}
      </Box>
      {apiKey.revealable && <ChatClientLinks reveal={reveal} />}
      <Box>
        <Typography variant="h3">{t('snippets')}</Typography>
        <SnippetTabs label={t('snippets')} snippets={clientSnippets(address, key ?? '$API_KEY', model)} />
      </Box>
    </>
  );
}

interface KeyButtonsProps {
  shown: boolean;
  onCopy: () => Promise<void>;
  onReveal: () => Promise<unknown>;
  onHide: () => void;
}

function KeyButtons({ shown, onCopy, onReveal, onHide }: KeyButtonsProps) {
  const { t } = useTranslation(['api-keys', 'common']);
  return (
    <Box sx={{ display: 'flex', gap: 1 }}>
      <Button
        size="small"
        variant="outlined"
        color="inherit"
        startIcon={<IconCopy size={16} />}
        onClick={() => void onCopy()}
      >
        {t('copyKey')}
      </Button>
      <Button
        size="small"
        color="inherit"
        startIcon={shown ? <IconEyeOff size={16} /> : <IconEye size={16} />}
        onClick={() => (shown ? onHide() : void onReveal())}
      >
        {t(shown ? 'common:form.hide' : 'common:form.show')}
      </Button>
    </Box>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import type { UserId } from '@switchyard/contract/ids';
import type { User } from '@switchyard/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolated } from '../../i18n/isolated.ts';
import { paths } from '../../paths.ts';
import { CopyableId } from '../../ui/copyable-id.tsx';
import { DetailDrawer } from '../../ui/detail-drawer.tsx';
import { Facts } from '../../ui/facts.tsx';
import { UNKNOWN } from '../../ui/format.ts';
import { LinkButton } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Mono } from '../../ui/mono.tsx';
import { Name } from '../../ui/name.tsx';
import { PendingPanel } from '../../ui/pending-panel.tsx';
import { UsageBar } from '../../ui/usage-bar.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { UserAvatar } from '../../ui/user-avatar.tsx';
import { useMay, useSelf } from '../session/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { LedgerAlarms } from './ledger-alarms.tsx';
import { userQuery } from './queries.ts';
import { QuotaDialog } from './quota-dialog.tsx';
import { TokenRatios } from './token-ratios.tsx';
import { RoleChip, UserStatusChip } from './user-chips.tsx';
import { UserMenu } from './user-menu.tsx';
import { userRights } from './user-rules.ts';

interface UserDrawerProps {
  id: UserId | undefined;
  onClose: () => void;
  onEdit: (id: UserId) => void;
}

export function UserDrawer({ id, onClose, onEdit }: UserDrawerProps) {
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={id === undefined ? '' : <Title id={id} />}>
      {id !== undefined && <Details id={id} onEdit={onEdit} onClose={onClose} />}
    </DetailDrawer>
  );
}

function Title({ id }: { id: UserId }) {
  const user = useQuery(userQuery(id)).data;
  if (user === undefined) return <Skeleton width={160} />;
  return (
    <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1.25 }}>
      <UserAvatar name={user.display_name || user.username} url={user.avatar_url} size={28} />
      <Name id={user.id}>{user.username}</Name>
    </Box>
  );
}

function Details({ id, onEdit, onClose }: UserDrawerProps & { id: UserId }) {
  const { t } = useTranslation(['users', 'common']);
  const { data: user, error, refetch } = useQuery(userQuery(id));
  const [asked, setAsked] = useState(false);
  const self = useSelf();
  const mayOrders = useMay('orders.read');
  if (user === undefined) return <PendingPanel error={error} refetch={refetch} height={240} />;
  const { change } = userRights(self, user);
  return (
    <Box sx={{ display: 'grid', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <UserStatusChip status={user.status} alarmed={user.ledger_alarms.length > 0} />
        <RoleChip role={user.role} />
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton
          size="small"
          color="inherit"
          variant="outlined"
          to={paths.usageRecords}
          search={{ user_id: String(id) }}
        >
          {t('log')}
        </LinkButton>
        {mayOrders && (
          <LinkButton
            size="small"
            color="inherit"
            variant="outlined"
            to={paths.orders}
            search={{ user_id: String(id) }}
          >
            {t('orders')}
          </LinkButton>
        )}
        {change && (
          <Button size="small" variant="outlined" color="inherit" onClick={() => setAsked(true)}>
            {t('changeBalance')}
          </Button>
        )}
        <UserMenu user={user} onEdit={() => onEdit(id)} onRemoved={onClose} />
      </Box>
      <LedgerAlarms user={user} mayAcknowledge={change} />
      <UserFacts user={user} />
      <TokenRatios userId={id} may={change} />
      <QuotaDialog open={asked} user={user} onClose={() => setAsked(false)} />
    </Box>
  );
}

function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const group = useGroupOptions().find(({ value }) => value === user.group);
  const text = (value: string) => (value === '' ? UNKNOWN : value);
  return (
    <Facts
      facts={[
        [
          t('balance'),
          <UsageBar
            key="balance"
            used={user.used_quota}
            left={user.quota}
            label={t(user.quota < 0 ? 'debtOf' : 'balanceOf', {
              balance: format.points(Math.abs(user.quota)),
              used: format.points(user.used_quota),
            })}
          />,
        ],
        [t('requests'), format.number(user.request_count)],
        [t('group'), group === undefined ? user.group : `${isolated(group.label)} ${group.detail}`],
        [t('displayName'), text(user.display_name)],
        [t('email'), text(user.email)],
        [t('lastLogin'), <LastLogin key="login" user={user} />],
        [t('created'), <Moment key="made" seconds={user.created_time} />],
        [t('id'), <CopyableId key="id" text={String(user.id)} what={t('id')} />],
      ]}
    />
  );
}

function LastLogin({ user: { last_login_time, last_login_ip } }: { user: User }) {
  const { t } = useTranslation('users');
  if (last_login_time === 0) return t('never');
  return (
    <>
      <Moment seconds={last_login_time} />
      {last_login_ip !== '' && (
        <>
          {' · '}
          <Mono>{last_login_ip}</Mono>
        </>
      )}
    </>
  );
}

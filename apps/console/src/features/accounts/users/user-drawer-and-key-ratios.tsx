import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { InlineNumber } from '../../../ui/actions/inline-number-input.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { UserAvatar } from '../../../ui/display/user-avatar.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { userApiKeysQuery, useSetApiKeyRatio } from '../api-keys/queries.ts';
import { useCurrentUser, useHasAccess } from '../session/queries.ts';
import { QuotaDialog } from './change-balance-dialog.tsx';
import { userQuery } from './queries.ts';
import { RoleChip, UserStatusChip } from './user-columns-and-chips.tsx';
import { UserMenu } from './user-menu-and-actions.tsx';
import { userRights } from './user-roles-and-edit-rights.ts';
import { LedgerDiscrepancies, UserSummary } from './user-summary-and-discrepancies.tsx';

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
  const self = useCurrentUser();
  const mayOrders = useHasAccess('orders.read');
  if (user === undefined) return <PendingPanel error={error} refetch={refetch} height={240} />;
  const { change } = userRights(self, user);
  return (
    <Box sx={{ display: 'grid', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <UserStatusChip status={user.status} alarmed={user.ledger_alarms.length > 0} />
        <RoleChip role={user.role} />
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton size="small" color="inherit" variant="outlined" to={userPath(id)}>
          {t('showPage')}
        </LinkButton>
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
      <LedgerDiscrepancies user={user} mayAcknowledge={change} />
      <UserSummary user={user} />
      <TokenRatios userId={id} may={change} />
      <QuotaDialog open={asked} user={user} onClose={() => setAsked(false)} />
    </Box>
  );
}

const RATIO_MAX = 1_000;

/** Shows the price ratios of a user's tokens, if there are any. */
function TokenRatios({ userId, may }: { userId: UserId; may: boolean }) {
  const { t } = useTranslation('users');
  const keys = useQuery(userApiKeysQuery(userId)).data ?? [];
  const setRatio = useSetApiKeyRatio();
  const notifyError = useNotifyError();
  if (keys.length === 0) return null;
  return (
    <Box component="section" sx={{ display: 'grid', gap: 1 }}>
      <Typography variant="h3">{t('tokenRatios')}</Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('tokenRatiosHint')}
      </Typography>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, fontSize: '0.8125rem' }}>
        {keys.map(({ id, name, ratio }) => (
          <Box
            key={id}
            component="li"
            sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 0.5, borderTop: 1, borderColor: 'divider' }}
          >
            <Box component="span" sx={{ flexGrow: 1, overflowWrap: 'anywhere' }}>
              {name}
            </Box>
            {may ? (
              <InlineNumber
                value={ratio}
                min={0}
                max={RATIO_MAX}
                decimals
                label={t('ratioOf', { name })}
                onSave={(next) =>
                  setRatio.mutate(
                    { id, ratio: next },
                    {
                      onSuccess: () => notify('success', t('ratioSaved', { name, ratio: next })),
                      onError: notifyError,
                    },
                  )
                }
              />
            ) : (
              `×${ratio}`
            )}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

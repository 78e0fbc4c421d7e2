import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import Typography from '@mui/material/Typography';
import type { User } from '@switchyard/contract/accounts/users';
import { type UserId, userId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { UserApiKeys } from '../features/accounts/api-keys/user-api-keys.tsx';
import { useCurrentUser, useHasAccess } from '../features/accounts/session/queries.ts';
import { BalanceHistory } from '../features/accounts/user-details/balance-history.tsx';
import { SignInMethods, UserSessions } from '../features/accounts/user-details/sessions-and-sign-in-methods.tsx';
import { groupName, useGroupOptions } from '../features/accounts/user-groups/queries.ts';
import { QuotaDialog } from '../features/accounts/users/change-balance-dialog.tsx';
import { userQuery } from '../features/accounts/users/queries.ts';
import { RoleChip, UserStatusChip } from '../features/accounts/users/user-columns-and-chips.tsx';
import { UserEditor } from '../features/accounts/users/user-editor.tsx';
import { ResetFactorsButton, UserMenu } from '../features/accounts/users/user-menu-and-actions.tsx';
import { userRights } from '../features/accounts/users/user-roles-and-edit-rights.ts';
import { LedgerDiscrepancies, UserSummary } from '../features/accounts/users/user-summary-and-discrepancies.tsx';
import { UserOrders } from '../features/billing/orders/user-orders.tsx';
import { EntriesAboutUser } from '../features/operations/audit/entries-table-and-drawer.tsx';
import { UserUsage } from '../features/usage/dashboard/user-usage.tsx';
import { UserUsageRecords } from '../features/usage/usage-records/usage-records-table.tsx';
import type words from '../i18n/en_US/users.json';
import { paths } from '../paths.ts';
import { Name } from '../ui/display/formatted-values.tsx';
import { UserAvatar } from '../ui/display/user-avatar.tsx';
import { PendingPanel } from '../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam, useSearchParams } from '../ui/filters/search-params.ts';
import { useFormat } from '../ui/format/use-format.ts';
import { PageHeader } from '../ui/layout/page-header.tsx';
import { SectionCard } from '../ui/layout/section-card.tsx';
import { NotFound } from './not-found.tsx';

type TabName = keyof typeof words.tab;

/** Shows one user: `?tab=` selects the tab, `?edit=` opens the editor. */
export function UserPage() {
  const { id: text } = useParams({ strict: false });
  const id = userId.safeParse(text).data;
  return id === undefined ? <NotFound /> : <Loaded key={id} id={id} />;
}

function Loaded({ id }: { id: UserId }) {
  const { data: user, error, refetch } = useQuery(userQuery(id));
  const tabs = useTabs();
  const { tab } = useSearchParams();
  if (user === undefined) return <PendingPanel error={error} refetch={refetch} height={480} />;
  const shown = tabs(user);
  const chosen = shown.find(({ name }) => name === tab) ?? shown[0];
  return (
    <>
      <Header user={user} />
      {chosen !== undefined && (
        <>
          <TabBar user={user} names={shown.map(({ name }) => name)} chosen={chosen.name} />
          {chosen.show()}
        </>
      )}
    </>
  );
}

/**
 * Returns the tabs that the signed-in user may see of another user; the server checks access on every call.
 */
function useTabs(): (user: User) => { name: TabName; show: () => ReactNode }[] {
  const self = useCurrentUser();
  const records = useHasAccess('records.read');
  const orders = useHasAccess('orders.read');
  const root = useHasAccess('root');
  const write = useHasAccess('users.write');
  return (user) => {
    const { id } = user;
    const { change } = userRights(self, user);
    const all: { name: TabName; may: boolean; show: () => ReactNode }[] = [
      { name: 'overview', may: true, show: () => <Overview user={user} /> },
      { name: 'tokens', may: change, show: () => <UserApiKeys id={id} may={write} /> },
      { name: 'usage', may: records, show: () => <UserUsageRecords id={id} /> },
      { name: 'orders', may: orders, show: () => <UserOrders id={id} /> },
      { name: 'balance', may: change, show: () => <BalanceHistory id={id} /> },
      { name: 'sessions', may: change, show: () => <Access user={user} may={write} /> },
      { name: 'audit', may: root, show: () => <EntriesAboutUser id={id} /> },
    ];
    return all.filter(({ may }) => may);
  };
}

function TabBar({ user, names, chosen }: { user: User; names: readonly TabName[]; chosen: TabName }) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  return (
    <Tabs
      value={chosen}
      // The filters of one tab do not apply to another.
      onChange={(_, tab: TabName) => void navigate({ to: '.', search: { tab } })}
      aria-label={t('tabs', { name: user.username })}
      variant="scrollable"
      allowScrollButtonsMobile
      sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
    >
      {names.map((name) => (
        <Tab key={name} value={name} label={t(`tab.${name}`)} />
      ))}
    </Tabs>
  );
}

function Header({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const navigate = useNavigate();
  const self = useCurrentUser();
  const groups = useGroupOptions();
  const mayBalance = useHasAccess('balances.write');
  const [edited, setEdited] = useSearchParam('edit');
  const [asked, setAsked] = useState(false);
  const { change } = userRights(self, user);
  const edit = () => setEdited(String(user.id));
  return (
    <>
      <PageHeader
        title={
          <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1.25 }}>
            <UserAvatar name={user.display_name || user.username} url={user.avatar_url} size={32} />
            <Name id={user.id}>{user.username}</Name>
          </Box>
        }
        aside={
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
            <UserStatusChip status={user.status} alarmed={user.ledger_alarms.length > 0} />
            <RoleChip role={user.role} />
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {groupName(groups, user.group)} · {format.points(user.quota)}
              {user.held_quota > 0 && ` · ${t('heldNote', { held: format.points(user.held_quota) })}`}
            </Typography>
          </Box>
        }
        actions={
          <>
            {change && mayBalance && (
              <Button variant="outlined" color="inherit" onClick={() => setAsked(true)}>
                {t('changeBalance')}
              </Button>
            )}
            <UserMenu user={user} onEdit={edit} onRemoved={() => void navigate({ to: paths.users })} />
          </>
        }
      />
      <Box sx={{ mb: 1, '&:empty': { display: 'none' } }}>
        <LedgerDiscrepancies user={user} mayAcknowledge={change && mayBalance} />
      </Box>
      <QuotaDialog open={asked} user={user} onClose={() => setAsked(false)} />
      <UserEditor id={edited === String(user.id) ? user.id : undefined} onClose={() => setEdited(undefined)} />
    </>
  );
}

function Overview({ user }: { user: User }) {
  const records = useHasAccess('records.read');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <SectionCard>
        <UserSummary user={user} />
      </SectionCard>
      {records && <UserUsage id={user.id} />}
    </Box>
  );
}

function Access({ user, may }: { user: User; may: boolean }) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2, maxWidth: 760 }}>
      <UserSessions id={user.id} may={may} />
      <SignInMethods id={user.id} reset={may && <ResetFactorsButton user={user} />} />
    </Box>
  );
}

import Badge from '@mui/material/Badge';
import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import type { Self } from '@switchyard/contract/accounts/profile';
import {
  IconBell,
  IconLayoutDashboard,
  IconLayoutSidebar,
  IconLogout,
  IconMenu2,
  IconSettings,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMatches, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUser, useSignOut } from '../../features/accounts/session/queries.ts';
import { notificationsQuery, useDismissNotification } from '../../features/operations/bell/queries.ts';
import { noticeQuery } from '../../features/site/site/queries.ts';
import { paths } from '../../paths.ts';
import { MenuButton } from '../../ui/actions/menu-button.tsx';
import { useStoredPreference } from '../../ui/browser/stored-preference.ts';
import { Name } from '../../ui/display/formatted-values.tsx';
import { Link } from '../../ui/display/link.tsx';
import { UserAvatar } from '../../ui/display/user-avatar.tsx';
import { useNotifyError } from '../../ui/feedback/use-error-text.ts';
import { drawerWidth, topBarHeight } from '../../ui/theme/design-tokens.ts';
import { PaletteButton } from '../command-palette/command-palette-triggers.tsx';
import { type Screen, screenPath, screens } from '../screens.ts';
import { LanguageMenu, ThemeMenu } from './language-and-theme-menus.tsx';
import { SiteLogo } from './site-logo.tsx';

export function PanelTopBar({ onToggleDrawer, drawerOpen }: { onToggleDrawer: () => void; drawerOpen: boolean }) {
  const { t } = useTranslation('shell');
  const label = t(drawerOpen ? 'closeDrawer' : 'openDrawer');
  return (
    <Box
      component="header"
      sx={{
        position: 'fixed',
        inset: '0 0 auto',
        zIndex: 'appBar',
        height: { xs: topBarHeight.phone, md: topBarHeight.wide },
        display: 'flex',
        alignItems: 'center',
        gap: { xs: 0.5, md: 1 },
        px: { xs: 1, md: 2 },
        bgcolor: 'background.default',
      }}
    >
      <Box sx={{ display: { xs: 'none', md: 'flex' }, alignItems: 'center', width: drawerWidth - 56 }}>
        <SiteLogo />
      </Box>
      <IconButton onClick={onToggleDrawer} title={label} aria-label={label} aria-expanded={drawerOpen}>
        <Box component="span" sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
          <IconLayoutSidebar size={20} />
        </Box>
        <Box component="span" sx={{ display: { xs: 'inline-flex', md: 'none' } }}>
          <IconMenu2 size={22} />
        </Box>
      </IconButton>
      <Breadcrumbs />
      <Box sx={{ flexGrow: 1 }} />
      <span data-tour="palette">
        <PaletteButton />
      </span>
      <span data-tour="notices">
        <NotificationBell />
      </span>
      <ThemeMenu />
      <span data-tour="language">
        <LanguageMenu />
      </span>
      <span data-tour="account">
        <UserMenu />
      </span>
    </Box>
  );
}

/** Shows group › screen. A record's own page also shows its list in between. */
function Breadcrumbs() {
  const { t } = useTranslation('shell');
  const screen = useMatches({ select: (matches) => matches.at(-1)?.staticData.screen });
  if (screen === undefined) return null;
  const parent = parentOf(screen);
  return (
    <Box
      component="nav"
      aria-label={t('breadcrumbs')}
      sx={{ display: { xs: 'none', sm: 'flex' }, gap: 1, fontSize: '0.8125rem', color: 'text.secondary', minWidth: 0 }}
    >
      <span>{t(`group.${screen.group}`)}</span>
      <span aria-hidden>›</span>
      {parent !== undefined && (
        <>
          <Link to={screenPath(parent)} color="inherit">
            {t(`screen.${parent.title}`)}
          </Link>
          <span aria-hidden>›</span>
        </>
      )}
      <Box component="span" aria-current="page" sx={{ color: 'text.primary', fontWeight: 500 }}>
        {t(`screen.${screen.title}`)}
      </Box>
    </Box>
  );
}

function parentOf(screen: Screen): Screen | undefined {
  const slash = screen.path.indexOf('/');
  return slash === -1 ? undefined : screens.find(({ path }) => path === screen.path.slice(0, slash));
}

function UserMenu() {
  const { t } = useTranslation('shell');
  const self = useCurrentUser();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notifyError = useNotifyError();
  if (self === null) return null;
  const go = (to: string) => void navigate({ to });
  const hasProfile = screens.some((screen) => screenPath(screen) === paths.profile);
  const profile = { label: t('screen.profile'), icon: <IconSettings size={18} />, onSelect: () => go(paths.profile) };
  return (
    <MenuButton
      label={t('account')}
      icon={<UserAvatar name={shownName(self)} url={self.avatar_url} size={28} isOwn={self.impersonation === null} />}
      header={<Who self={self} />}
      entries={[
        { label: t('console'), icon: <IconLayoutDashboard size={18} />, onSelect: () => go('/panel') },
        ...(hasProfile ? [profile] : []),
        {
          label: t('signOut'),
          icon: <IconLogout size={18} />,
          onSelect: () => void signOut(() => navigate({ to: paths.home })).catch(notifyError),
        },
      ]}
    />
  );
}

function shownName({ display_name, username }: Self): string {
  return display_name === '' ? username : display_name;
}

function Who({ self }: { self: Self }) {
  const { t } = useTranslation('shell');
  return (
    <Box role="presentation">
      <Box sx={{ px: 2, py: 1, minWidth: 200 }}>
        <Typography sx={{ fontWeight: 500 }}>{shownName(self)}</Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          <Name>{self.email === '' ? self.username : self.email}</Name> · {t(`role.${self.role}`)}
        </Typography>
      </Box>
      <Divider />
    </Box>
  );
}

const AnnouncementDialog = lazy(() =>
  import('./announcement-dialog.tsx').then(({ AnnouncementDialog }) => ({ default: AnnouncementDialog })),
);
const NotificationPanel = lazy(() =>
  import('../../features/operations/bell/notification-panel.tsx').then(({ NotificationPanel }) => ({
    default: NotificationPanel,
  })),
);
const SEEN_KEY = 'notice';

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Shows the user's notifications. The site's announcement opens once for each new text. */
export function NotificationBell() {
  const { t } = useTranslation('shell');
  const announcement = useQuery(noticeQuery).data ?? '';
  const notices = (useQuery(notificationsQuery).data ?? []).filter(({ seen }) => !seen);
  const { mutate: dismiss } = useDismissNotification();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [everOpen, setEverOpen] = useState(false);
  const [reading, setReading] = useState(false);
  const [seen, setSeen] = useStoredPreference(SEEN_KEY, '', isText);
  const read = () => {
    setAnchor(null);
    setReading(true);
  };
  const endReading = () => {
    setReading(false);
    setSeen(announcement);
    const told = notices.find(({ kind }) => kind === 'announcement');
    // A failure is ignored: the notification then stays in the bell.
    if (told !== undefined) dismiss([told]);
  };
  return (
    <>
      <IconButton
        onClick={({ currentTarget }) => {
          setAnchor(currentTarget);
          setEverOpen(true);
        }}
        title={t('notices')}
        aria-label={notices.length === 0 ? t('notices') : t('unreadNotices', { count: notices.length })}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
      >
        {notices.length === 0 ? (
          <IconBell size={20} />
        ) : (
          <Badge badgeContent={notices.length} color="error">
            <IconBell size={20} />
          </Badge>
        )}
      </IconButton>
      <Suspense fallback={null}>
        {everOpen && (
          <NotificationPanel
            anchor={anchor}
            notices={notices}
            onClose={() => setAnchor(null)}
            onAnnouncement={announcement === '' ? undefined : read}
          />
        )}
        {(reading || (announcement !== '' && seen !== announcement)) && (
          <AnnouncementDialog notice={announcement} onClose={endReading} />
        )}
      </Suspense>
    </>
  );
}

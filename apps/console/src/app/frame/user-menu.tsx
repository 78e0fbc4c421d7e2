import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import Typography from '@mui/material/Typography';
import type { Self } from '@switchyard/contract/accounts/profile';
import { IconLayoutDashboard, IconLogout, IconSettings } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSelf, useSignOut } from '../../features/accounts/session/queries.ts';
import { paths } from '../../paths.ts';
import { MenuButton } from '../../ui/actions/menu-button.tsx';
import { Name } from '../../ui/display/name.tsx';
import { UserAvatar } from '../../ui/display/user-avatar.tsx';
import { useNotifyError } from '../../ui/feedback/use-notify-error.ts';
import { screenPath, screens } from '../screens.ts';

export function UserMenu() {
  const { t } = useTranslation('shell');
  const self = useSelf();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notifyError = useNotifyError();
  if (self === null) return null;
  const go = (to: string) => void navigate({ to });
  const hasProfile = screens.some((screen) => screenPath(screen) === paths.profile);
  const profile = {
    label: t('screen.profile'),
    icon: <IconSettings size={18} />,
    onSelect: () => go(paths.profile),
  };
  return (
    <MenuButton
      label={t('account')}
      icon={<UserAvatar name={shownName(self)} url={self.avatar_url} size={28} />}
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

import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import MenuItem from '@mui/material/MenuItem';
import Typography from '@mui/material/Typography';
import { IconLayoutDashboard, IconLogout, IconSettings } from '@tabler/icons-react';
import { Link as RouterLink, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSelf, useSignOut } from '../features/session/queries.ts';
import { paths } from '../paths.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import { UserAvatar } from '../ui/user-avatar.tsx';
import { screenPath, screens } from './screens.ts';

export function UserMenu() {
  const { t } = useTranslation('shell');
  const self = useSelf();
  const navigate = useNavigate();
  const signOut = useSignOut();
  if (self === null) return null;
  const name = self.display_name === '' ? self.username : self.display_name;
  const profile = screens.find((screen) => screenPath(screen) === paths.profile);
  return (
    <MenuButton label={t('account')} icon={<UserAvatar name={name} url={self.avatar_url} size={28} />}>
      {(close) => [
        <Box key="who" sx={{ px: 2, py: 1, minWidth: 200 }}>
          <Typography sx={{ fontWeight: 500 }}>{name}</Typography>
          <Typography variant="caption" sx={{ color: 'text.secondary' }}>
            {self.email === '' ? self.username : self.email} · {t(`role.${self.role}`)}
          </Typography>
        </Box>,
        <Divider key="line" />,
        <MenuItem key="panel" component={RouterLink} to="/panel" onClick={close}>
          <ListItemIcon>
            <IconLayoutDashboard size={18} />
          </ListItemIcon>
          {t('console')}
        </MenuItem>,
        profile !== undefined && (
          <MenuItem key="profile" component={RouterLink} to={paths.profile} onClick={close}>
            <ListItemIcon>
              <IconSettings size={18} />
            </ListItemIcon>
            {t('screen.profile')}
          </MenuItem>
        ),
        <MenuItem
          key="out"
          onClick={() => {
            close();
            signOut.mutate(undefined, { onSettled: () => void navigate({ to: paths.home }) });
          }}
        >
          <ListItemIcon>
            <IconLogout size={18} />
          </ListItemIcon>
          {t('signOut')}
        </MenuItem>,
      ]}
    </MenuButton>
  );
}

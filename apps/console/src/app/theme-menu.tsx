import ListItemIcon from '@mui/material/ListItemIcon';
import MenuItem from '@mui/material/MenuItem';
import { useColorScheme } from '@mui/material/styles';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../ui/menu-button.tsx';

const modes = { light: IconSun, dark: IconMoon, system: IconDeviceDesktop } as const;
const order = ['light', 'dark', 'system'] as const;

export function ThemeMenu() {
  const { t } = useTranslation('shell');
  const { mode = 'system', setMode } = useColorScheme();
  const Current = modes[mode];
  return (
    <MenuButton label={t('theme.label')} icon={<Current size={20} />}>
      {(close) =>
        order.map((name) => {
          const Icon = modes[name];
          return (
            <MenuItem
              key={name}
              selected={name === mode}
              onClick={() => {
                close();
                setMode(name);
              }}
            >
              <ListItemIcon>
                <Icon size={18} />
              </ListItemIcon>
              {t(`theme.${name}`)}
            </MenuItem>
          );
        })
      }
    </MenuButton>
  );
}

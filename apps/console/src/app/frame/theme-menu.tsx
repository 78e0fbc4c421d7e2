import { useColorScheme } from '@mui/material/styles';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../../ui/actions/menu-button.tsx';

const icons = { light: IconSun, dark: IconMoon, system: IconDeviceDesktop } as const;
const modes = ['light', 'dark', 'system'] as const;

export function ThemeMenu() {
  const { t } = useTranslation('shell');
  const { mode = 'system', setMode } = useColorScheme();
  const Current = icons[mode];
  return (
    <MenuButton
      label={t('theme.label')}
      icon={<Current size={20} />}
      entries={modes.map((name) => {
        const Icon = icons[name];
        return {
          label: t(`theme.${name}`),
          icon: <Icon size={18} />,
          selected: name === mode,
          onSelect: () => setMode(name),
        };
      })}
    />
  );
}

import { useColorScheme } from '@mui/material/styles';
import { IconDeviceDesktop, IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { switchLanguage } from '../../i18n/i18n.ts';
import { languageNames, languages, languageTags } from '../../i18n/languages.ts';
import { useLanguage } from '../../i18n/use-language.ts';
import { MenuButton } from '../../ui/actions/menu-button.tsx';

export function LanguageMenu() {
  const { t } = useTranslation('shell');
  const current = useLanguage();
  return (
    <MenuButton
      label={t('language')}
      icon={<IconLanguage size={20} />}
      entries={languages.map((language) => ({
        label: languageNames[language],
        lang: languageTags[language],
        selected: language === current,
        onSelect: () => void switchLanguage(language),
      }))}
    />
  );
}

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

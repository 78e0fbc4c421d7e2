import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { useColorScheme } from '@mui/material/styles';
import { useTranslation } from 'react-i18next';
import { switchLanguage } from '../../../i18n/i18n.ts';
import { languageNames, languages, languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { TwoColumns } from '../../../ui/form/form-layout.tsx';

const modes = ['system', 'light', 'dark'] as const;

/** Edits this browser's language and colour scheme, which change at once. */
export function Preferences() {
  const { t } = useTranslation('shell');
  const language = useLanguage();
  const { mode = 'system', setMode } = useColorScheme();
  return (
    <TwoColumns>
      <FieldFrame label={t('language')} error={undefined}>
        {({ id }) => (
          <Select
            fullWidth
            value={language}
            onChange={({ target }) => void switchLanguage(target.value)}
            SelectDisplayProps={{ id, 'aria-label': t('language') }}
          >
            {languages.map((name) => (
              <MenuItem key={name} value={name} lang={languageTags[name]}>
                {languageNames[name]}
              </MenuItem>
            ))}
          </Select>
        )}
      </FieldFrame>
      <FieldFrame label={t('theme.label')} error={undefined}>
        {({ id }) => (
          <Select
            fullWidth
            value={mode}
            onChange={({ target }) => setMode(target.value)}
            SelectDisplayProps={{ id, 'aria-label': t('theme.label') }}
          >
            {modes.map((name) => (
              <MenuItem key={name} value={name}>
                {t(`theme.${name}`)}
              </MenuItem>
            ))}
          </Select>
        )}
      </FieldFrame>
    </TwoColumns>
  );
}

import Box from '@mui/material/Box';
import { useMatches } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Link } from '../../ui/display/link.tsx';
import { type Screen, screenPath, screens } from '../screens.ts';

/** Group › screen, and for a record's own page the list it belongs to in between. */
export function Breadcrumbs() {
  const { t } = useTranslation('shell');
  const screen = useMatches({ select: (matches) => matches.at(-1)?.staticData.screen });
  if (screen === undefined) return null;
  const parent = parentOf(screen);
  return (
    <Box
      component="nav"
      aria-label={t('breadcrumbs')}
      sx={{
        display: { xs: 'none', sm: 'flex' },
        gap: 1,
        fontSize: '0.8125rem',
        color: 'text.secondary',
        minWidth: 0,
      }}
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

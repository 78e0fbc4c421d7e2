import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Popper from '@mui/material/Popper';
import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../ui/filters/search-params.ts';

/** Values of `data-tour` on the elements that the tour visits. */
const stops = ['navigation', 'palette', 'notices', 'language', 'account'] as const;

/**
 * Shows a tour of the frame, started by `?tour=1`. It skips the elements that are hidden on a small screen.
 */
export function Tour() {
  const [at, setAt] = useSearchParam('tour');
  const number = Number(at);
  const found = useVisibleStops();
  const stop = found[number - 1];
  if (stop === undefined) return null;
  const go = (next: number | undefined) => setAt(next === undefined ? undefined : String(next));
  return (
    <Stop key={stop.name} name={stop.name} anchor={stop.anchor} position={{ number, total: found.length }} onGo={go} />
  );
}

interface VisibleStop {
  name: (typeof stops)[number];
  anchor: Element;
}

function useVisibleStops(): readonly VisibleStop[] {
  const [found, setFound] = useState<readonly VisibleStop[]>([]);
  useEffect(() => {
    const look = () =>
      setFound(
        stops.flatMap((name) => {
          const anchor = document.querySelector(`[data-tour="${name}"]`);
          return anchor?.checkVisibility() === true ? [{ name, anchor }] : [];
        }),
      );
    look();
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  return found;
}

interface StopProps {
  name: (typeof stops)[number];
  anchor: Element;
  position: { number: number; total: number };
  onGo: (next: number | undefined) => void;
}

function Stop({ name, anchor, position: { number, total }, onGo }: StopProps) {
  const { t } = useTranslation('tour');
  const last = number === total;
  return (
    <Popper
      open
      anchorEl={anchor}
      placement={name === 'navigation' ? 'right-start' : 'bottom-end'}
      modifiers={[{ name: 'offset', options: { offset: [0, 8] } }]}
      sx={{ zIndex: 'tooltip' }}
    >
      <Paper
        role="dialog"
        aria-label={t(`${name}.title`)}
        variant="outlined"
        onKeyDown={(event) => {
          if (event.key === 'Escape') onGo(undefined);
        }}
        sx={{ p: 2, m: 1, width: 300, maxWidth: '90vw', borderRadius: 1.5, borderColor: 'primary.main' }}
      >
        <Typography sx={{ fontWeight: 600 }}>{t(`${name}.title`)}</Typography>
        <Typography variant="body2" sx={{ mt: 0.5, mb: 1.5, color: 'text.secondary' }}>
          {t(`${name}.text`)}
        </Typography>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Typography variant="caption" sx={{ flexGrow: 1, color: 'text.secondary' }}>
            {t('position', { number, total })}
          </Typography>
          {!last && (
            <Button size="small" color="inherit" onClick={() => onGo(undefined)}>
              {t('end')}
            </Button>
          )}
          <Button autoFocus size="small" variant="contained" onClick={() => onGo(last ? undefined : number + 1)}>
            {t(last ? 'done' : 'next')}
          </Button>
        </Box>
      </Paper>
    </Popper>
  );
}

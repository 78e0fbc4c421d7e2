import Button from '@mui/material/Button';
import ButtonBase, { type ButtonBaseProps } from '@mui/material/ButtonBase';
import Fab from '@mui/material/Fab';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** Renders a screen's only primary action beside the title; on phones at the bottom right. */
export function PrimaryAction({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  const phone = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  if (phone) {
    return (
      <Fab
        color="primary"
        aria-label={label}
        onClick={onClick}
        sx={{ position: 'fixed', bottom: 20, right: 20, zIndex: 'fab' }}
      >
        {icon}
      </Fab>
    );
  }
  return (
    <Button variant="contained" startIcon={icon} onClick={onClick}>
      {label}
    </Button>
  );
}

/** Downloads everything that a list's filter matches, as a file from the server. */
export function ExportLink({ href }: { href: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      variant="outlined"
      color="inherit"
      startIcon={<IconDownload size={18} />}
      href={href}
      download
    >
      {t('table.exportCsv')}
    </Button>
  );
}

/** Renders the pill of filters and choices, filled while it has a value. */
export function ChipButton({ chosen, ...rest }: Omit<ButtonBaseProps, 'sx'> & { chosen: boolean }) {
  return (
    <ButtonBase
      {...rest}
      sx={{
        height: { xs: 40, md: 30 },
        px: 1.25,
        gap: 0.5,
        borderRadius: 999,
        fontSize: '0.8125rem',
        border: 1,
        borderColor: chosen ? 'transparent' : 'divider',
        bgcolor: chosen ? 'primary.soft' : 'transparent',
        color: chosen ? 'primary.onSoft' : 'text.secondary',
        '&:hover': { color: chosen ? 'primary.onSoft' : 'text.primary' },
      }}
    />
  );
}

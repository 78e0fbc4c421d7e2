import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { IconChevronDown, IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../display/status-and-tag-chips.tsx';

interface FoldedSectionProps {
  title: string;
  /** Number of the section's fields that differ from their defaults. */
  changed: number;
  children: ReactNode;
  startOpen?: boolean;
}

/** Renders rarely changed fields, folded, with the number of changed ones in the heading. */
export function FoldedSection({ title, changed, children, startOpen = false }: FoldedSectionProps) {
  const { t } = useTranslation();
  return (
    <Accordion
      disableGutters
      defaultExpanded={startOpen}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        '&:before': { display: 'none' },
        '&:first-of-type, &:last-of-type': { borderRadius: 1 },
      }}
    >
      <AccordionSummary expandIcon={<IconChevronDown size={18} />} sx={{ minHeight: 44 }}>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          <Typography component="span" sx={{ fontWeight: 500 }}>
            {title}
          </Typography>
          {changed > 0 && (
            <StatusChip tone="primary" dot={false}>
              {t('form.changed', { count: changed })}
            </StatusChip>
          )}
        </Box>
      </AccordionSummary>
      <AccordionDetails sx={{ display: 'grid', gap: 2, pt: 0.5 }}>{children}</AccordionDetails>
    </Accordion>
  );
}

export function AddRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      size="small"
      variant="outlined"
      color="inherit"
      startIcon={<IconPlus size={15} />}
      onClick={onClick}
      sx={{ justifySelf: 'start' }}
    >
      {label}
    </Button>
  );
}

/** @param label accessible name with the row */
export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <IconButton onClick={onClick} aria-label={label}>
      <IconX size={16} />
    </IconButton>
  );
}

/** Renders fields side by side if there is enough space. */
export function TwoColumns({ children }: { children: ReactNode }) {
  return <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, gap: 2 }}>{children}</Box>;
}

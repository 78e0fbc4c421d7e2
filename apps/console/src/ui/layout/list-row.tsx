import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

export function RowList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0, width: '100%' }}>
      {children}
    </Box>
  );
}

interface ListRowProps {
  icon?: ReactNode;
  /** Tooltip of the title. */
  hover?: string;
  title: ReactNode;
  chip?: ReactNode;
  text: ReactNode;
  actions?: ReactNode;
}

/** Shows one of an account's few items with its actions. */
export function ListRow({ icon, hover, title, chip, text, actions }: ListRowProps) {
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        alignItems: 'center',
        columnGap: 1.5,
        rowGap: 1,
        py: 1.25,
        '&:not(:last-of-type)': { borderBottom: 1, borderColor: 'divider' },
      }}
    >
      {icon !== undefined && <Box sx={{ color: 'text.secondary', lineHeight: 0 }}>{icon}</Box>}
      <Box sx={{ flex: '1 1 200px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
          <Typography component="div" title={hover} sx={{ fontWeight: 500 }}>
            {title}
          </Typography>
          {chip}
        </Box>
        <Typography component="div" variant="body2" sx={{ color: 'text.secondary' }}>
          {text}
        </Typography>
      </Box>
      {actions}
    </Box>
  );
}

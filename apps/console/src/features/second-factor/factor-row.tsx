import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface FactorRowProps {
  icon: ReactNode;
  title: string;
  chip?: ReactNode;
  text: ReactNode;
  actions: ReactNode;
}

export function FactorRow({ icon, title, chip, text, actions }: FactorRowProps) {
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
      <Box sx={{ color: 'text.secondary', lineHeight: 0 }}>{icon}</Box>
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
          <Typography sx={{ fontWeight: 500 }}>{title}</Typography>
          {chip}
        </Box>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text}
        </Typography>
      </Box>
      {actions}
    </Box>
  );
}

import ButtonBase, { type ButtonBaseProps } from '@mui/material/ButtonBase';

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

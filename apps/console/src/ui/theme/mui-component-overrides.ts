import type { Components, Theme } from '@mui/material/styles';

type Overrides = Components<Omit<Theme, 'components'>>;

const floating = '0 8px 24px rgb(0 0 0 / 0.14), 0 2px 6px rgb(0 0 0 / 0.08)';

const surfaces: Overrides = {
  MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
  MuiDialog: {
    styleOverrides: {
      paper: ({ theme }) => ({
        borderRadius: 12,
        backgroundColor: theme.vars.palette.background.raised,
        border: `1px solid ${theme.vars.palette.divider}`,
        boxShadow: floating,
      }),
    },
  },
  MuiDialogTitle: { styleOverrides: { root: { fontSize: '1rem', fontWeight: 600, padding: '16px 20px 8px' } } },
  MuiDialogContent: { styleOverrides: { root: { padding: '8px 20px' } } },
  MuiDialogActions: { styleOverrides: { root: { padding: '12px 20px 16px' } } },
  MuiPopover: {
    styleOverrides: {
      paper: ({ theme }) => ({
        backgroundColor: theme.vars.palette.background.raised,
        border: `1px solid ${theme.vars.palette.divider}`,
        boxShadow: floating,
      }),
    },
  },
  MuiAutocomplete: {
    styleOverrides: {
      paper: ({ theme }) => ({
        backgroundColor: theme.vars.palette.background.raised,
        border: `1px solid ${theme.vars.palette.divider}`,
        boxShadow: floating,
      }),
      option: { fontSize: '0.8125rem', minHeight: 32 },
    },
  },
  MuiTooltip: {
    defaultProps: { enterDelay: 400, arrow: false },
    styleOverrides: { tooltip: { fontSize: '0.75rem', maxWidth: 360 } },
  },
};

const controls: Overrides = {
  MuiButtonBase: {
    // A ripple exceeds the maximum motion duration, and a table of a hundred rows would have three hundred.
    defaultProps: { disableRipple: true },
    styleOverrides: {
      root: ({ theme }) => ({
        fontFamily: 'inherit',
        '&:active': { filter: 'brightness(0.94)' },
        // Inside the button, because cells, menus and tab bars clip outlines.
        '&.Mui-focusVisible': { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: -2 },
      }),
    },
  },
  MuiButton: {
    defaultProps: { disableElevation: true },
    styleOverrides: {
      root: ({ theme }) => ({
        minHeight: 36,
        paddingInline: 14,
        whiteSpace: 'nowrap',
        [theme.breakpoints.down('sm')]: { minHeight: 40 },
      }),
      sizeSmall: ({ theme }) => ({
        minHeight: 28,
        paddingInline: 10,
        fontSize: '0.8125rem',
        [theme.breakpoints.down('sm')]: { minHeight: 40 },
      }),
      contained: { '&.Mui-focusVisible': { outlineOffset: 2 } },
      outlined: ({ theme }) => ({
        borderColor: theme.vars.palette.divider,
        backgroundColor: theme.vars.palette.background.paper,
      }),
    },
  },
  MuiIconButton: {
    styleOverrides: {
      root: ({ theme }) => ({ borderRadius: 8, [theme.breakpoints.down('sm')]: { minWidth: 40, minHeight: 40 } }),
      sizeSmall: { padding: 5 },
    },
  },
  MuiOutlinedInput: {
    defaultProps: { size: 'small' },
    styleOverrides: {
      root: ({ theme }) => ({
        backgroundColor: theme.vars.palette.background.paper,
        fontSize: '0.875rem',
        '& fieldset': { borderColor: theme.vars.palette.divider },
      }),
      input: { paddingBlock: 7.5, height: 21 },
    },
  },
  MuiTextField: { defaultProps: { size: 'small', fullWidth: true } },
  MuiInputLabel: { defaultProps: { size: 'small' } },
  MuiMenuItem: {
    styleOverrides: {
      root: ({ theme }) => ({
        fontSize: '0.8125rem',
        minHeight: 32,
        [theme.breakpoints.down('sm')]: { minHeight: 40 },
      }),
    },
  },
  MuiListItemIcon: { styleOverrides: { root: { minWidth: 32, color: 'inherit' } } },
  MuiFormControlLabel: { styleOverrides: { label: { fontSize: '0.875rem' } } },
  MuiCheckbox: { defaultProps: { size: 'small' }, styleOverrides: { root: { padding: 6 } } },
  MuiSwitch: { defaultProps: { size: 'small' } },
  MuiTab: { styleOverrides: { root: { minHeight: 40, padding: '8px 12px' } } },
  MuiTabs: { styleOverrides: { root: { minHeight: 40 } } },
  MuiAlert: {
    styleOverrides: {
      standard: ({ ownerState, theme }) => {
        const colour = theme.vars.palette[ownerState.severity ?? 'info'];
        return {
          backgroundColor: colour?.soft,
          color: theme.vars.palette.text.primary,
          '& .MuiAlert-icon': { color: colour?.main },
        };
      },
    },
  },
  MuiLink: { defaultProps: { underline: 'hover' } },
};

export const components: Overrides = {
  MuiCssBaseline: {
    styleOverrides: (theme) => ({
      // theme-init.js paints the first scheme; the user may have chosen another one since.
      html: { backgroundColor: `${theme.vars.palette.background.default} !important` },
      '*, *::before, *::after': {
        '@media (prefers-reduced-motion: reduce)': {
          animationDuration: '0.01ms !important',
          transitionDuration: '0.01ms !important',
        },
      },
      'html, body, #root': { height: '100%' },
      body: { fontFeatureSettings: '"tnum" 1', WebkitFontSmoothing: 'antialiased' },
    }),
  },
  ...surfaces,
  ...controls,
};

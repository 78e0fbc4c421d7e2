import type { SxProps, Theme } from '@mui/material/styles';

export const SELECT_WIDTH = 44;
export const ACTIONS_WIDTH = 56;
/** Height in pixels of top bar, title, filter bar and footer. */
const FRAME_HEIGHT = 264;

/** Returns one style sheet for the whole table; styling each cell would cost more than the rows. */
export function gridStyles(rowHeight: number, selectable: boolean): SxProps<Theme> {
  const firstSticky = { position: 'sticky', left: selectable ? SELECT_WIDTH : 0, zIndex: 1 } as const;
  const first = selectable ? '& tr > :nth-of-type(2)' : '& tr > :first-of-type';
  return (theme) => ({
    overflow: 'auto',
    maxHeight: `max(320px, calc(100dvh - ${FRAME_HEIGHT}px))`,
    '& table': {
      borderCollapse: 'separate',
      borderSpacing: 0,
      tableLayout: 'fixed',
      width: '100%',
      fontSize: '0.8125rem',
    },
    '& th, & td': {
      height: rowHeight,
      padding: '0 12px',
      textAlign: 'start',
      whiteSpace: 'nowrap',
      overflow: 'hidden',
      textOverflow: 'ellipsis',
      fontVariantNumeric: 'tabular-nums',
      borderBottom: `1px solid ${theme.vars.palette.divider}`,
      backgroundColor: theme.vars.palette.background.paper,
    },
    '& tbody tr:last-of-type td': { borderBottom: 0 },
    '& th': {
      position: 'sticky',
      top: 0,
      zIndex: 2,
      height: 36,
      // Long text takes two lines; Japanese wraps between phrases in browsers that support it.
      whiteSpace: 'normal',
      wordBreak: 'auto-phrase',
      lineHeight: 1.2,
      textOverflow: 'clip',
      fontWeight: 500,
      color: theme.vars.palette.text.secondary,
    },
    [`${first}:not([data-actions])`]: { fontWeight: 500 },
    '& [data-align="end"]': { textAlign: 'end' },
    // The sort arrow is outside of an end-aligned heading, whose text so stays above the figures.
    '& th[data-align="end"] .MuiTableSortLabel-icon': {
      position: 'absolute',
      insetInlineEnd: '100%',
      marginInline: '2px',
    },
    [`${first}:not([colspan])`]: firstSticky,
    [`& thead ${first.slice(2)}`]: { zIndex: 3 },
    '& [data-select]': { position: 'sticky', left: 0, zIndex: 1, padding: '0 4px 0 8px', textOverflow: 'clip' },
    '& [data-actions]': {
      position: 'sticky',
      right: 0,
      zIndex: 1,
      padding: '0 8px',
      textAlign: 'end',
      textOverflow: 'clip',
    },
    '& th[data-select], & th[data-actions]': { zIndex: 3 },
    '& tr[data-clickable="true"]': { cursor: 'pointer' },
    '& tbody tr:hover td': { backgroundColor: theme.vars.palette.background.default },
    '& tbody tr[data-selected="true"] td': { backgroundColor: theme.vars.palette.primary.soft },
    '& tbody tr:focus-visible': { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: -2 },
    '& [data-resize]': {
      position: 'absolute',
      insetBlock: 8,
      insetInlineEnd: 0,
      width: 7,
      cursor: 'col-resize',
      touchAction: 'none',
      borderInlineEnd: '2px solid transparent',
    },
    '& th:hover [data-resize], & [data-resize="active"]': { borderColor: theme.vars.palette.divider },
  });
}

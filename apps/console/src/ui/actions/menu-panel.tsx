import ListItemIcon from '@mui/material/ListItemIcon';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { IconSquare, IconSquareCheckFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export interface MenuAction {
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  /** True if the entry is the current one. */
  selected?: boolean;
  /** State of an on/off entry, which keeps the menu open. */
  checked?: boolean;
  danger?: boolean;
  /** True if a line separates the entry from those above. */
  apart?: boolean;
  /** Language of the label, if it differs from the console's. */
  lang?: string;
}

/** Action, or a heading above the following actions. */
export type MenuEntry = MenuAction | { heading: string };

interface MenuPanelProps {
  id: string;
  anchor: HTMLElement | null;
  onClose: () => void;
  entries: readonly MenuEntry[];
  header: ReactNode;
}

export function MenuPanel({ id, anchor, onClose, entries, header }: MenuPanelProps) {
  return (
    <Menu
      id={id}
      anchorEl={anchor}
      open={anchor !== null}
      onClose={onClose}
      onClick={(event) => event.stopPropagation()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      disableScrollLock
      transitionDuration={0}
      slotProps={{ list: { dense: true } }}
    >
      {header}
      {entries.map((entry) => {
        if ('heading' in entry) return <Heading key={entry.heading} text={entry.heading} />;
        return (
          <MenuItem key={entry.label} {...itemProps(entry, onClose)}>
            {entry.icon !== undefined && <ListItemIcon>{entry.icon}</ListItemIcon>}
            {entry.checked !== undefined && (
              <ListItemIcon sx={{ color: entry.checked ? 'primary.main' : 'text.secondary' }}>
                {entry.checked ? <IconSquareCheckFilled size={18} /> : <IconSquare size={18} />}
              </ListItemIcon>
            )}
            {entry.label}
          </MenuItem>
        );
      })}
    </Menu>
  );
}

function itemProps({ onSelect, selected, checked, danger, apart, lang }: MenuAction, close: () => void) {
  return {
    selected: selected ?? false,
    sx: {
      ...(danger === true ? { color: 'error.main' } : {}),
      ...(apart === true ? { borderTop: 1, borderColor: 'divider', mt: 0.5, pt: 1 } : {}),
    },
    ...(lang === undefined ? {} : { lang }),
    ...(checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': checked }),
    onClick: () => {
      if (checked === undefined) close();
      onSelect();
    },
  };
}

function Heading({ text }: { text: string }) {
  return (
    <ListSubheader role="presentation" sx={{ bgcolor: 'transparent', lineHeight: '28px', fontSize: '0.75rem' }}>
      {text}
    </ListSubheader>
  );
}

import Checkbox from '@mui/material/Checkbox';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import type { ReactNode } from 'react';
import type { MenuAction, MenuEntry } from './menu-entry.ts';

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
      slotProps={{ list: { dense: true } }}
    >
      {header}
      {entries.map((entry) => {
        if ('heading' in entry) return <Heading key={entry.heading} text={entry.heading} />;
        return (
          <MenuItem key={entry.label} {...itemProps(entry, onClose)}>
            {entry.icon !== undefined && <ListItemIcon>{entry.icon}</ListItemIcon>}
            {entry.checked !== undefined && (
              <Checkbox
                checked={entry.checked}
                tabIndex={-1}
                disableRipple
                aria-hidden
                sx={{ py: 0, pl: 0 }}
              />
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
    <ListSubheader
      role="presentation"
      sx={{ bgcolor: 'transparent', lineHeight: '28px', fontSize: '0.75rem' }}
    >
      {text}
    </ListSubheader>
  );
}

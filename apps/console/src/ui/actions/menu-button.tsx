import IconButton, { type IconButtonProps } from '@mui/material/IconButton';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import type { MenuEntry } from './menu-panel.tsx';

const MenuPanel = lazy(() => import('./menu-panel.tsx').then(({ MenuPanel }) => ({ default: MenuPanel })));

interface MenuButtonProps {
  label: string;
  icon: ReactNode;
  entries: readonly MenuEntry[];
  /** Content above the entries. */
  header?: ReactNode;
  size?: IconButtonProps['size'];
}

/** Renders an icon button that opens a menu, which loads when it is first opened. */
export function MenuButton({ label, icon, entries, header, size = 'medium' }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [everOpen, setEverOpen] = useState(false);
  const menuId = useId();
  const open = anchor !== null;
  return (
    <>
      <IconButton
        size={size}
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        {...(open ? { 'aria-controls': menuId } : {})}
        onClick={(event) => {
          event.stopPropagation();
          setAnchor(event.currentTarget);
          setEverOpen(true);
        }}
      >
        {icon}
      </IconButton>
      {everOpen && (
        <Suspense fallback={null}>
          <MenuPanel id={menuId} anchor={anchor} onClose={() => setAnchor(null)} entries={entries} header={header} />
        </Suspense>
      )}
    </>
  );
}

import IconButton, { type IconButtonProps } from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import Tooltip from '@mui/material/Tooltip';
import { type ReactNode, useId, useState } from 'react';

interface MenuButtonProps {
  label: string;
  icon: ReactNode;
  /** Items; `close` is for what an item does besides closing. */
  children: (close: () => void) => ReactNode;
  size?: IconButtonProps['size'];
}

/** An icon that opens a menu. */
export function MenuButton({ label, icon, children, size = 'medium' }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const menuId = useId();
  const close = () => setAnchor(null);
  return (
    <>
      <Tooltip title={label}>
        <IconButton
          size={size}
          aria-label={label}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          {...(anchor === null ? {} : { 'aria-controls': menuId })}
          onClick={(event) => {
            event.stopPropagation();
            setAnchor(event.currentTarget);
          }}
        >
          {icon}
        </IconButton>
      </Tooltip>
      <Menu
        id={menuId}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        onClick={(event) => event.stopPropagation()}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{ list: { dense: true } }}
      >
        {anchor !== null && children(close)}
      </Menu>
    </>
  );
}

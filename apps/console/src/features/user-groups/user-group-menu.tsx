import Divider from '@mui/material/Divider';
import MenuItem from '@mui/material/MenuItem';
import type { UserGroup } from '@switchyard/contract/user-groups';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { useUserGroupActions } from './use-user-group-actions.ts';

/** Everybody without a group of their own is in it, so it can be neither disabled nor deleted. */
const DEFAULT_GROUP = 'default';

export function UserGroupMenu({ group, onEdit }: { group: UserGroup; onEdit: (group: UserGroup) => void }) {
  const { t } = useTranslation(['user-groups', 'common']);
  const [asked, setAsked] = useState(false);
  const { toggle, remove } = useUserGroupActions();
  const fixed = group.symbol === DEFAULT_GROUP;
  return (
    <>
      <MenuButton label={t('common:more')} icon={<IconDots size={18} />} size="small">
        {(close) => {
          const item = (label: string, act: () => void, more: { disabled?: boolean; danger?: boolean } = {}) => (
            <MenuItem
              key={label}
              disabled={more.disabled ?? false}
              onClick={() => {
                close();
                act();
              }}
              sx={more.danger === true ? { color: 'error.main' } : {}}
            >
              {label}
            </MenuItem>
          );
          return [
            item(t('common:edit'), () => onEdit(group)),
            item(t(group.enable ? 'common:disable' : 'common:enable'), () => void toggle(group), {
              disabled: fixed,
            }),
            <Divider key="line" />,
            item(t('common:delete'), () => setAsked(true), { disabled: fixed, danger: true }),
          ];
        }}
      </MenuButton>
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteTitle', { name: group.name }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove(group)}
        onClose={() => setAsked(false)}
      />
    </>
  );
}

import Divider from '@mui/material/Divider';
import MenuItem from '@mui/material/MenuItem';
import type { User } from '@switchyard/contract/users';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { useSelf } from '../session/queries.ts';
import { QuotaDialog } from './quota-dialog.tsx';
import { useUserActions } from './use-user-actions.ts';
import { givableRoles, userRights } from './user-rules.ts';

export function UserMenu({ user, onEdit }: { user: User; onEdit: (user: User) => void }) {
  const { t } = useTranslation(['users', 'common', 'shell']);
  const [asked, setAsked] = useState<'quota' | 'delete'>();
  const navigate = useNavigate();
  const self = useSelf();
  const { change, manage } = userRights(self, user);
  const { setStatus, setRole, remove } = useUserActions();
  const enabled = user.status === 'enabled';
  return (
    <>
      <MenuButton label={t('common:more')} icon={<IconDots size={18} />} size="small">
        {(close) => {
          const item = (label: string, act: () => void, danger = false) => (
            <MenuItem
              key={label}
              onClick={() => {
                close();
                act();
              }}
              sx={danger ? { color: 'error.main' } : {}}
            >
              {label}
            </MenuItem>
          );
          const toLog = () => void navigate({ to: paths.usageRecords, search: { user_id: String(user.id) } });
          const giveRole = givableRoles(self)
            .filter((role) => role !== user.role)
            .map((role) =>
              item(t('makeRole', { role: t(`shell:role.${role}`) }), () => void setRole(user, role)),
            );
          return [
            ...(change
              ? [
                  item(t('common:edit'), () => onEdit(user)),
                  item(t('changeBalance'), () => setAsked('quota')),
                ]
              : []),
            item(t('showLog'), toLog),
            ...(manage
              ? [
                  item(
                    t(enabled ? 'common:disable' : 'common:enable'),
                    () => void setStatus(user, enabled ? 'disabled' : 'enabled'),
                  ),
                  <Divider key="roles" />,
                  ...giveRole,
                  <Divider key="danger" />,
                  item(t('common:delete'), () => setAsked('delete'), true),
                ]
              : []),
          ];
        }}
      </MenuButton>
      <QuotaDialog open={asked === 'quota'} user={user} onClose={() => setAsked(undefined)} />
      <ConfirmDialog
        open={asked === 'delete'}
        question={{
          title: t('deleteTitle', { name: user.username }),
          text: t('deleteText'),
          verb: t('common:delete'),
          typed: user.username,
        }}
        onConfirm={() => remove(user)}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}

import type { UserGroup } from '@switchyard/contract/user-groups';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { useUserGroupActions } from './use-user-group-actions.ts';

/** Everybody without a group of their own is in it, so it can be neither disabled nor deleted. */
const DEFAULT_GROUP = 'default';

export function UserGroupMenu({ group, onEdit }: { group: UserGroup; onEdit: (group: UserGroup) => void }) {
  const { t } = useTranslation(['user-groups', 'common']);
  const [asked, setAsked] = useState(false);
  const { toggle, remove } = useUserGroupActions();
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit(group) },
          ...(group.symbol === DEFAULT_GROUP
            ? []
            : [
                {
                  label: t(group.enable ? 'common:disable' : 'common:enable'),
                  onSelect: () => void toggle(group),
                },
                { label: t('common:delete'), onSelect: () => setAsked(true), danger: true, apart: true },
              ]),
        ]}
      />
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

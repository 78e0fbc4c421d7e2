import type { UsedGroup } from '@switchyard/contract/accounts/user-groups';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useUserGroupActions } from './use-user-group-actions.ts';

/** Everybody without a group of their own is in it, so it can be neither disabled nor deleted. */
const DEFAULT_GROUP = 'default';

interface UserGroupMenuProps {
  group: UsedGroup;
  onEdit: (group: UsedGroup) => void;
  onDuplicate: (group: UsedGroup) => void;
}

export function UserGroupMenu({ group, onEdit, onDuplicate }: UserGroupMenuProps) {
  const { t } = useTranslation(['user-groups', 'common']);
  const [asked, setAsked] = useState(false);
  const language = useLanguage();
  const { toggle, remove } = useUserGroupActions();
  const uses = (['members', 'tokens', 'channels'] as const)
    .filter((what) => group[what] > 0)
    .map((what) => t(`uses.${what}`, { count: group[what] }));
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit(group) },
          { label: t('duplicate'), onSelect: () => onDuplicate(group) },
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
        question={
          uses.length === 0
            ? {
                title: t('deleteTitle', { name: group.name }),
                text: t('deleteText'),
                verb: t('common:delete'),
              }
            : {
                title: t('inUseTitle', { name: group.name }),
                text: t('inUse', { uses: new Intl.ListFormat(languageTags[language]).format(uses) }),
                verb: t('common:close'),
              }
        }
        onConfirm={() => (uses.length === 0 ? remove(group) : undefined)}
        onClose={() => setAsked(false)}
      />
    </>
  );
}

import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from './menu-button.tsx';
import type { MenuEntry } from './menu-entry.ts';

/** Menu of further actions on a row or a record. */
export function MoreMenu({ entries }: { entries: readonly MenuEntry[] }) {
  const { t } = useTranslation();
  return <MenuButton label={t('more')} icon={<IconDots size={18} />} size="small" entries={entries} />;
}

import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, type ConfirmQuestion } from '../overlays/confirm-dialog.tsx';
import { MenuButton } from './menu-button.tsx';
import type { MenuAction, MenuEntry } from './menu-panel.tsx';

/** Action that the user confirms in a dialog. */
interface ConfirmedAction extends Omit<MenuAction, 'onSelect'> {
  /** Question of the dialog; by default, its button has the entry's label. */
  question: Omit<ConfirmQuestion, 'verb'> & { verb?: string };
  onConfirm: () => Promise<unknown> | void;
}

export type MoreMenuEntry = MenuEntry | ConfirmedAction;

/** Renders the menu of further actions on a row or a record. */
export function MoreMenu({ entries }: { entries: readonly MoreMenuEntry[] }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<string>();
  const [open, setOpen] = useState(false);
  const ask = (label: string) => {
    setAsked(label);
    setOpen(true);
  };
  const confirmed = entries.filter((entry) => 'question' in entry).find(({ label }) => label === asked);
  return (
    <>
      <MenuButton
        label={t('more')}
        icon={<IconDots size={18} />}
        size="small"
        entries={entries.map((entry) => ('question' in entry ? { ...entry, onSelect: () => ask(entry.label) } : entry))}
      />
      {confirmed !== undefined && (
        <ConfirmDialog
          open={open}
          question={{ verb: confirmed.label, ...confirmed.question }}
          onConfirm={confirmed.onConfirm}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

import type { RedemptionCode } from '@switchyard/contract/billing/redemption-codes';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MenuEntry } from '../../../ui/actions/menu-entry.ts';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { ReadingDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { useCodeActions } from './use-code-actions.ts';

/** A used code stays as it is: it can only be looked at. */
export function CodeMenu({ code }: { code: RedemptionCode }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const [asked, setAsked] = useState(false);
  const [shown, setShown] = useState<string>();
  const { reveal, toggle, remove } = useCodeActions();
  const changes: MenuEntry[] = [
    {
      label: t(code.status === 'enabled' ? 'common:disable' : 'common:enable'),
      onSelect: () => void toggle(code),
    },
    { label: t('common:delete'), danger: true, apart: true, onSelect: () => setAsked(true) },
  ];
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('showCode'), onSelect: () => void reveal(code).then(setShown) },
          ...(code.status === 'used' ? [] : changes),
        ]}
      />
      <ReadingDialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('code')}
        maxWidth="xs"
      >
        <CodeBlock code={shown ?? ''} label={t('codeInText')} />
      </ReadingDialog>
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteCodeTitle', { hint: code.hint }),
          text: t('deleteCodeText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove(code)}
        onClose={() => setAsked(false)}
      />
    </>
  );
}

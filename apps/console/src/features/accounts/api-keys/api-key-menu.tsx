import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { MoreMenu } from '../../../ui/actions/menu-button.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useRotateApiKey } from './queries.ts';
import { useApiKeyActions, useSecretKey } from './use-api-key-actions.ts';

interface ApiKeyMenuProps {
  apiKey: ApiKey;
  onEdit: (key: ApiKey) => void;
  /** Callback that receives a new key, which is shown once. */
  onNewKey: (key: string) => void;
}

export function ApiKeyMenu({ apiKey, onEdit, onNewKey }: ApiKeyMenuProps) {
  const { t } = useTranslation(['api-keys', 'common']);
  const [asked, setAsked] = useState<'rotate' | 'delete'>();
  const { setStatus, remove } = useApiKeyActions();
  const navigate = useNavigate();
  const rotate = useRotateApiKey();
  const secret = useSecretKey(apiKey.id);
  const enabled = apiKey.status === 'enabled';
  return (
    <>
      <MoreMenu
        entries={[
          ...(apiKey.revealable ? [{ label: t('copyKey'), onSelect: () => void secret.copy() }] : []),
          {
            label: t('checkRequest'),
            onSelect: () => void navigate({ to: paths.quote, search: { token: String(apiKey.id) } }),
          },
          { label: t('common:edit'), onSelect: () => onEdit(apiKey) },
          {
            label: t(enabled ? 'common:disable' : 'common:enable'),
            onSelect: () => void setStatus([apiKey], enabled ? 'disabled' : 'enabled'),
          },
          { label: t('rotate'), danger: true, apart: true, onSelect: () => setAsked('rotate') },
          { label: t('common:delete'), danger: true, onSelect: () => setAsked('delete') },
        ]}
      />
      <ConfirmDialog
        open={asked === 'rotate'}
        question={{
          title: t('rotateTitle', { name: apiKey.name }),
          text: t('rotateText'),
          verb: t('rotate'),
        }}
        onConfirm={async () => onNewKey((await rotate.mutateAsync(apiKey.id)).key)}
        onClose={() => setAsked(undefined)}
      />
      <ConfirmDialog
        open={asked === 'delete'}
        question={{
          title: t('deleteOneTitle', { name: apiKey.name }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove([apiKey])}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}

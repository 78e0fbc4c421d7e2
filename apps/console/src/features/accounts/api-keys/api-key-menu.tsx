import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
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
  const { setStatus, remove } = useApiKeyActions();
  const navigate = useNavigate();
  const rotate = useRotateApiKey();
  const secret = useSecretKey(apiKey.id);
  const enabled = apiKey.status === 'enabled';
  return (
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
        {
          label: t('rotate'),
          danger: true,
          apart: true,
          question: {
            title: t('rotateTitle', { name: apiKey.name }),
            text: t('rotateText'),
          },
          onConfirm: async () => onNewKey((await rotate.mutateAsync(apiKey.id)).key),
        },
        {
          label: t('common:delete'),
          danger: true,
          question: {
            title: t('deleteOneTitle', { name: apiKey.name }),
            text: t('deleteText'),
          },
          onConfirm: () => remove([apiKey]),
        },
      ]}
    />
  );
}

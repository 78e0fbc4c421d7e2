import type { User } from '@switchyard/contract/accounts/users';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { useUserActions } from './use-user-actions.ts';

/** Removes the second factors of a user who lost access to them. */
export function ResetFactorsButton({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const { resetFactors } = useUserActions();
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      question={{
        title: t('resetFactorsTitle', { name: user.username }),
        text: t('resetFactorsText'),
        verb: t('resetFactorsVerb'),
      }}
      onConfirm={() => resetFactors(user)}
    >
      {t('resetFactors')}
    </ConfirmButton>
  );
}

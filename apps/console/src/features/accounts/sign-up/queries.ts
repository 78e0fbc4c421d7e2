import { useEffect } from 'react';
import { loadClient } from '../../../api.ts';
import { readPreference, writePreference } from '../../../ui/browser/stored-preference.ts';
import { useSearchParams } from '../../../ui/filters/search-params.ts';

/** Loads the client for registration and account mails on demand. */
export const signUpClient = () =>
  loadClient(import('@switchyard/contract/accounts/sign-up').then(({ signUp }) => signUp));

const INVITATION_KEY = 'aff';

/** Returns the inviter's code from the link or from an earlier visit; '' without an invitation. */
export function useInvitation(): string {
  const fromLink = useSearchParams()['aff'] ?? '';
  useEffect(() => {
    if (fromLink !== '') writePreference(INVITATION_KEY, fromLink);
  }, [fromLink]);
  if (fromLink !== '') return fromLink;
  const stored = readPreference(INVITATION_KEY);
  return typeof stored === 'string' ? stored : '';
}

/** Removes the stored invitation after it was used. */
export function forgetInvitation(): void {
  writePreference(INVITATION_KEY, '');
}

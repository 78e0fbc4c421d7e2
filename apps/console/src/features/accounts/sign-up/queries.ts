import { useEffect } from 'react';
import { readPreference, writePreference } from '../../../ui/browser/stored-preference.ts';
import { useSearchParams } from '../../../ui/filters/search-params.ts';

/** Loads the client for registration and account mails when it is needed. */
export const signUpClient = async () => (await import('./sign-up-client.ts')).signUpClient;

const INVITATION_KEY = 'aff';

/** The inviter's code from the link that led here, today or on another day; '' when there was none. */
export function useInvitation(): string {
  const fromLink = useSearchParams()['aff'] ?? '';
  useEffect(() => {
    if (fromLink !== '') writePreference(INVITATION_KEY, fromLink);
  }, [fromLink]);
  if (fromLink !== '') return fromLink;
  const stored = readPreference(INVITATION_KEY);
  return typeof stored === 'string' ? stored : '';
}

/** An invitation counts once. */
export function forgetInvitation(): void {
  writePreference(INVITATION_KEY, '');
}

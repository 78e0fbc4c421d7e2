import { ApiError } from '@switchyard/contract/http-exchange';
import type { PasskeyId } from '@switchyard/contract/ids';
import type { Assertion } from '@switchyard/contract/webauthn-assertion';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useStoreCurrentUser } from '../session/queries.ts';

const load = () => import('./passkeys-client.ts');
const all = ['passkeys'] as const;

/**
 * Returns whether the browser supports passkeys here: only in secure contexts, and for domain names, not IP
 * addresses. https://www.w3.org/TR/webauthn-3/#rp-id
 */
export function browserHasPasskeys(): boolean {
  const named = !/^[\d.]+$|:/.test(location.hostname);
  return named && typeof globalThis.PublicKeyCredential === 'function';
}

export const passkeysQuery = queryOptions({
  queryKey: all,
  queryFn: async ({ signal }) => (await load()).passkeysClient.list({}, signal),
});

/** @returns undefined when the user closed the browser's dialog or let it time out */
export async function requestPasskey(): Promise<Assertion | undefined> {
  return (await load()).authenticateWithPasskey();
}

/** Signs in with a passkey of this site, without a user name; does nothing when the user cancels. */
export function usePasskeySignIn(onDone?: () => void) {
  const signedIn = useStoreCurrentUser();
  const onError = useReportPasskeyError();
  return useMutation({
    mutationFn: async () => {
      const proof = await requestPasskey();
      return proof === undefined ? undefined : (await load()).passkeysClient.finishSignIn({ body: proof });
    },
    onSuccess: (self) => {
      if (self === undefined) return;
      signedIn(self);
      onDone?.();
    },
    onError,
  });
}

/**
 * Returns a function that reports a passkey error; `wrong-code` means that the server has no such passkey.
 */
export function useReportPasskeyError(): (error: unknown) => void {
  const { t } = useTranslation('sign-in');
  const notifyError = useNotifyError();
  return (error) => {
    if (error instanceof ApiError && error.code === 'wrong-code') notify('error', t('passkeyRefused'));
    else notifyError(error);
  };
}

/** @returns whether the passkey was added; false when the user closed the browser's dialog */
export function useAddPasskey() {
  return usePasskeyChange(async (alias: string) => {
    const { passkeysClient, registerPasskey } = await load();
    const { publicKey } = await withStepUp(() => passkeysClient.beginRegistration({ body: { alias } }));
    const made = await registerPasskey(publicKey);
    if (made === undefined) return false;
    await passkeysClient.finishRegistration({ body: made });
    return true;
  });
}

export function useRenamePasskey() {
  return usePasskeyChange(async ({ id, alias }: { id: PasskeyId; alias: string }) =>
    (await load()).passkeysClient.rename({ params: { id }, body: { alias } }),
  );
}

export function useRemovePasskey() {
  return usePasskeyChange(async (id: PasskeyId) => {
    const { passkeysClient } = await load();
    return withStepUp(() => passkeysClient.remove({ params: { id } }));
  });
}

/** Invalidates the second-factor queries too, because a passkey is a second factor. */
function usePasskeyChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: all });
      await client.invalidateQueries({ queryKey: ['second-factor'] });
    },
  });
}

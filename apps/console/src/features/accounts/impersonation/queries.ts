import { unwrapEnvelope } from '@switchyard/contract/http-exchange';
import type { UserId } from '@switchyard/contract/ids';
import { loadClient, send } from '../../../api.ts';
import { paths, userPath } from '../../../paths.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

/** Starts acting as the user. Reloads the page, so that nothing cached for root remains. */
export async function startImpersonation(user_id: UserId, reason: string): Promise<void> {
  const routes = import('@switchyard/contract/accounts/impersonation').then(({ impersonation }) => impersonation);
  const client = await loadClient(routes);
  await withStepUp(() => client.start({ body: { user_id, reason } }));
  location.assign('/panel');
}

/**
 * Returns to root, whether or not the impersonation has already ended.
 * @param id user whose page is opened
 */
export async function endImpersonation(id?: UserId): Promise<void> {
  unwrapEnvelope(await send({ method: 'POST', path: '/api/impersonation/end' }));
  location.assign(id === undefined ? paths.users : userPath(id));
}

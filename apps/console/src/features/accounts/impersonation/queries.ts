import { unwrapEnvelope } from '@switchyard/contract/http-exchange';
import type { UserId } from '@switchyard/contract/ids';
import { send } from '../../../api.ts';
import { paths, userPath } from '../../../paths.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

/** Goes on as this user, on a page that knows nothing of what was read before. */
export async function startImpersonation(user_id: UserId, reason: string): Promise<void> {
  const { impersonationClient } = await import('./impersonation-client.ts');
  await withStepUp(() => impersonationClient.start({ body: { user_id, reason } }));
  location.assign('/panel');
}

/** Goes on as root, whether the impersonation still runs or is over already. @param id whose page to come back to */
export async function endImpersonation(id?: UserId): Promise<void> {
  unwrapEnvelope(await send({ method: 'POST', path: '/api/impersonation/end' }));
  location.assign(id === undefined ? paths.users : userPath(id));
}

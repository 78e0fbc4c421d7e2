/** Works as the console shows them: in its own pages, for whoever is signed in. */
import { workIn } from '@switchyard/contract/tasks';
import type { Context } from '../context.ts';
import { identifyCaller } from '../features/sessions/sessions.ts';
import { may } from '../platform/caller.ts';
import type { ClientAddress } from '../platform/client-address.ts';
import { admitAddress } from './admit-address.ts';
import { answerError } from './answer.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';
import { RelayError } from './relay-error.ts';
import { sendWork } from './send-work.ts';
import type { Lookup } from './task-lookup.ts';

export function isShownWork(method: string, path: string): boolean {
  return method === 'GET' && workIn(path) !== undefined;
}

/** Answers the client in every case; never rejects. A page asks without the console's header: it only reads. */
export async function answerShownWork(
  ctx: Context,
  parts: GatewayParts,
  clientAddress: ClientAddress,
  lookup: Lookup,
): Promise<void> {
  const { client, message, path, address } = lookup;
  let place: Place | undefined;
  try {
    place = await admitAddress(parts, address);
    const caller = await identifyCaller(ctx, message.headers, clientAddress.isSecure(message));
    if (caller === undefined) throw new RelayError('invalid_api_key', 'Please sign in.');
    const { taskId, nth } = workIn(path) ?? { taskId: '', nth: 0 };
    const task = may(caller, 'records.read')
      ? await parts.tasks.findAnybodys(taskId)
      : await parts.tasks.find(caller.userId, taskId);
    if (task === undefined) throw new RelayError('not_found', 'There is no such work.');
    await sendWork(parts, lookup, { task, nth });
  } catch (error) {
    if (client.begun) client.drop();
    else answerError(parts.log, lookup, error);
  } finally {
    place?.leave();
  }
}

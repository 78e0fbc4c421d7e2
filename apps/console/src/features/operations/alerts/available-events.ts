import { eventRights, type NotificationEvent, ownEvents, siteEvents } from '@switchyard/contract/operations/alerts';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import type { Owner } from './queries.ts';

/** Returns the events for which notifications can be sent; a user gets only those that their rights allow. */
export function useAvailableEvents(owner: Owner): readonly NotificationEvent[] {
  const rights = useCurrentUser()?.rights ?? [];
  if (owner === 'site') return siteEvents;
  return [...ownEvents, ...siteEvents].filter((event) => rights.includes(eventRights[event]));
}

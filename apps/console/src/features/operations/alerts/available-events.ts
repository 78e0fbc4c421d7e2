import {
  eventRights,
  type NotificationEvent,
  ownEvents,
  siteEvents,
} from '@switchyard/contract/operations/alerts';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import type { Owner } from './queries.ts';

/** Nobody is told of what they may not read. */
export function useAvailableEvents(owner: Owner): readonly NotificationEvent[] {
  const rights = useCurrentUser()?.rights ?? [];
  if (owner === 'site') return siteEvents;
  return [...ownEvents, ...siteEvents].filter((event) => rights.includes(eventRights[event]));
}

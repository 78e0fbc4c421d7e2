import { type AlertEvent, eventRights, ownEvents, siteEvents } from '@switchyard/contract/operations/alerts';
import { useSelf } from '../../accounts/session/queries.ts';
import type { Owner } from './queries.ts';

/** Nobody is told of what they may not read. */
export function useOfferedEvents(owner: Owner): readonly AlertEvent[] {
  const rights = useSelf()?.rights ?? [];
  if (owner === 'site') return siteEvents;
  return [...ownEvents, ...siteEvents].filter((event) => rights.includes(eventRights[event]));
}

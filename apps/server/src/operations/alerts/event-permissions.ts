/** Permission to read a notification: checked when it is queued, and again when it is sent or shown. */

import { eventRights, type NotificationEvent, ownEvents, siteEvents } from '@switchyard/contract/operations/alerts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';

/** Returns the events that a caller may be notified of. */
export const listReadableEvents = (caller: Pick<Caller, 'rights' | 'lacksSecondFactor'>): NotificationEvent[] =>
  [...ownEvents, ...siteEvents].filter((event) => hasAccess(caller, eventRights[event]));

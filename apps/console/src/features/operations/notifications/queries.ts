import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { DeliveryAttemptId, NotificationTargetId } from '@switchyard/contract/ids';
import {
  type DeliveryAttempt,
  eventRights,
  type NotificationEvent,
  type NotificationTarget,
  type NotificationTargetForm,
  notifications,
  type notificationTargetUpdate,
  ownEvents,
  siteEvents,
} from '@switchyard/contract/operations/notifications';
import type { Page, RouteCall } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useCurrentUser } from '../../accounts/session/queries.ts';

/** Longer than the server's ten seconds for a receiver and twenty for a mail server. */
const TEST_DEADLINE_MS = 30_000;
const sendPatiently: Send = (request) => send(request, TEST_DEADLINE_MS);

const api = createClient(notifications, send);
const testApi = createClient(notifications, sendPatiently);
const all = ['alerts'] as const;

/** Owner of the notification channels on a screen: the signed-in user or the site. */
export type Owner = 'own' | 'site';

type Update = { id: NotificationTargetId; body: z.output<typeof notificationTargetUpdate> };
type DeliveryQuery = NonNullable<RouteCall<typeof notifications.listDeliveries>['query']>;

interface Calls {
  list: (signal: AbortSignal) => Promise<NotificationTarget[]>;
  create: (body: NotificationTargetForm) => Promise<NotificationTarget>;
  update: (update: Update) => Promise<NotificationTarget>;
  remove: (id: NotificationTargetId) => Promise<null>;
  test: (id: NotificationTargetId) => Promise<{ ok: boolean; answer: string }>;
  deliveries: (query: DeliveryQuery, signal: AbortSignal) => Promise<Page<DeliveryAttempt>>;
  again: (id: DeliveryAttemptId) => Promise<null>;
}

const callsByOwner: Readonly<Record<Owner, Calls>> = {
  own: {
    list: (signal) => api.listOwn({}, signal),
    create: (body) => api.createOwn({ body }),
    update: ({ id, body }) => api.updateOwn({ params: { id }, body }),
    remove: (id) => api.removeOwn({ params: { id } }),
    test: (id) => testApi.testOwn({ params: { id } }),
    deliveries: (query, signal) => api.listOwnDeliveries({ query }, signal),
    again: (id) => api.sendOwnAgain({ params: { id } }),
  },
  site: {
    list: (signal) => api.list({}, signal),
    create: (body) => withStepUp(() => api.create({ body })),
    update: ({ id, body }) => withStepUp(() => api.update({ params: { id }, body })),
    remove: (id) => withStepUp(() => api.remove({ params: { id } })),
    test: (id) => testApi.test({ params: { id } }),
    deliveries: (query, signal) => api.listDeliveries({ query }, signal),
    again: (id) => api.sendAgain({ params: { id } }),
  },
};

export const notificationTargetsQuery = (owner: Owner) =>
  queryOptions({
    queryKey: [...all, owner, 'destinations'],
    queryFn: ({ signal }) => callsByOwner[owner].list(signal),
  });

export const deliveryAttemptsQuery = (owner: Owner, query: DeliveryQuery) =>
  queryOptions({
    queryKey: [...all, owner, 'deliveries', query],
    queryFn: ({ signal }) => callsByOwner[owner].deliveries(query, signal),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });

export const useCreateNotificationTarget = (owner: Owner) => useListChange(all, callsByOwner[owner].create);
export const useUpdateNotificationTarget = (owner: Owner) => useListChange(all, callsByOwner[owner].update);
export const useRemoveNotificationTarget = (owner: Owner) => useListChange(all, callsByOwner[owner].remove);
export const useRetryDelivery = (owner: Owner) => useListChange(all, callsByOwner[owner].again);
export const useTestNotificationTarget = (owner: Owner) => useMutation({ mutationFn: callsByOwner[owner].test });

/** Returns the events for which notifications can be sent; a user gets only those that their rights allow. */
export function useAvailableEvents(owner: Owner): readonly NotificationEvent[] {
  const rights = useCurrentUser()?.rights ?? [];
  if (owner === 'site') return siteEvents;
  return [...ownEvents, ...siteEvents].filter((event) => rights.includes(eventRights[event]));
}

/** Notifications about events, the users' notification channels, and the delivery attempts. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import type { Right } from '../accounts/permissions.ts';
import { boundedRecord } from '../bounded-record.ts';
import { deliveryAttemptId, notificationTargetId } from '../ids.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
import { notificationTargetTypes } from './notification-target-types.ts';

/** Events of the user's own account. */
export const ownEvents = [
  'low-balance',
  'key-spent',
  'order-paid',
  'order-failed',
  'order-refunded',
  'new-sign-in',
] as const;

/** Events of the site. */
export const siteEvents = [
  'channel-disabled',
  'channel-enabled',
  'error-rate',
  'spend-in-window',
  'site-order-paid',
  'site-order-failed',
  'site-refund-failed',
  'job-failed',
  'books-differ',
  'new-version',
] as const;

export const notificationEvent = z.enum([...ownEvents, ...siteEvents]);
export type NotificationEvent = z.output<typeof notificationEvent>;
export type OwnEvent = (typeof ownEvents)[number];
export type SiteEvent = (typeof siteEvents)[number];

/** Right that a user needs to be notified of each event. */
export const eventRights: Readonly<Record<NotificationEvent, Right>> = {
  'low-balance': 'user',
  'key-spent': 'user',
  'order-paid': 'user',
  'order-failed': 'user',
  'order-refunded': 'user',
  'new-sign-in': 'user',
  'channel-disabled': 'channels.read',
  'channel-enabled': 'channels.read',
  'error-rate': 'overview.read',
  'spend-in-window': 'overview.read',
  'site-order-paid': 'orders.read',
  'site-order-failed': 'orders.read',
  'site-refund-failed': 'orders.read',
  'job-failed': 'root',
  'books-differ': 'users.read',
  'new-version': 'root',
};

export const notificationTargetType = z.enum(notificationTargetTypes);

/** A field that is left out or empty does not change. */
const config = boundedRecord(z.string().max(64), z.string().trim().max(2_048), 16);
const name = z.string().trim().min(1).max(64);
const events = z.array(notificationEvent).max(notificationEvent.options.length);

export const notificationTarget = z.object({
  id: notificationTargetId,
  type: notificationTargetType,
  name: z.string(),
  events: z.array(notificationEvent),
  enabled: z.boolean(),
  /** Reason of the automatic deactivation; empty otherwise. */
  off_reason: z.string(),
  /** Time of the first failure since the last delivery; null if the last delivery succeeded. */
  failing_since: seconds.nullable(),
  created_time: seconds,
  /** Fields that are set, masked where they are secret. */
  hints: z.record(z.string(), z.string()),
});
export type NotificationTarget = z.output<typeof notificationTarget>;

export const notificationTargetForm = z.object({
  type: notificationTargetType,
  name,
  events,
  enabled: z.boolean().default(true),
  config: config.default({}),
});
export type NotificationTargetForm = z.output<typeof notificationTargetForm>;

export const notificationTargetUpdate = z.object({
  name: name.optional(),
  events: events.optional(),
  enabled: z.boolean().optional(),
  config: config.optional(),
});

export const deliveryState = z.enum(['waiting', 'delivered', 'failed']);
export type DeliveryState = z.output<typeof deliveryState>;

export const deliveryAttempt = z.object({
  id: deliveryAttemptId,
  event: notificationEvent,
  title: z.string(),
  type: notificationTargetType,
  /** Name of the notification channel at that time; empty: mail to the account's address. */
  destination: z.string(),
  /** Owner of the notification channel; empty for the site. */
  username: z.string(),
  state: deliveryState,
  tries: z.int(),
  created_time: seconds,
  /** Null if it does not wait, or another delivery to the same channel precedes it. */
  next_try_time: seconds.nullable(),
  /** Null while the delivery waits. */
  ended_time: seconds.nullable(),
  /** Receiver's response to the last attempt, or the reason why there was none. */
  last_answer: z.string(),
});
export type DeliveryAttempt = z.output<typeof deliveryAttempt>;

const testAnswer = z.object({
  ok: z.boolean(),
  /** Receiver's response, without secrets. */
  answer: z.string(),
});

const byId = z.object({ id: notificationTargetId });
const oneDelivery = z.object({ id: deliveryAttemptId });
const deliveryQuery = listQuery(['id', 'created_time', 'tries'], {
  state: deliveryState.optional(),
  event: notificationEvent.optional(),
});

export const notifications = routes({
  listOwn: {
    method: 'GET',
    path: '/api/user/destinations',
    access: 'user',
    summary: 'List your notification channels, without addresses and secrets',
    answer: z.array(notificationTarget),
  },
  createOwn: {
    method: 'POST',
    path: '/api/user/destinations',
    access: 'user',
    summary: 'Create a notification channel of yours',
    body: notificationTargetForm,
    answer: notificationTarget,
  },
  updateOwn: {
    method: 'PUT',
    path: '/api/user/destinations/:id',
    access: 'user',
    summary: 'Update the fields that are sent; a new address requires every secret again',
    params: byId,
    body: notificationTargetUpdate,
    answer: notificationTarget,
  },
  removeOwn: {
    method: 'DELETE',
    path: '/api/user/destinations/:id',
    access: 'user',
    summary: 'Delete a notification channel of yours; its waiting notifications are discarded',
    params: byId,
    answer: emptyData,
  },
  testOwn: {
    method: 'POST',
    path: '/api/user/destinations/:id/test',
    access: 'user',
    summary: 'Send a test message now',
    params: byId,
    answer: testAnswer,
  },
  listOwnDeliveries: {
    method: 'GET',
    path: '/api/user/deliveries',
    access: 'user',
    summary: 'List your notifications of the last 30 days with their delivery status',
    query: deliveryQuery,
    answer: paged(deliveryAttempt),
  },
  sendOwnAgain: {
    method: 'POST',
    path: '/api/user/deliveries/:id/again',
    access: 'user',
    summary: 'Resend a failed notification of yours',
    params: oneDelivery,
    answer: emptyData,
  },
  list: {
    method: 'GET',
    path: '/api/alerts/destinations',
    access: 'root',
    summary: "List the site's notification channels, without addresses and secrets",
    answer: z.array(notificationTarget),
  },
  create: {
    method: 'POST',
    path: '/api/alerts/destinations',
    access: 'root',
    stepUp: true,
    summary: 'Create a notification channel of the site',
    body: notificationTargetForm,
    answer: notificationTarget,
  },
  update: {
    method: 'PUT',
    path: '/api/alerts/destinations/:id',
    access: 'root',
    stepUp: true,
    summary: 'Update the fields that are sent; a new address requires every secret again',
    params: byId,
    body: notificationTargetUpdate,
    answer: notificationTarget,
  },
  remove: {
    method: 'DELETE',
    path: '/api/alerts/destinations/:id',
    access: 'root',
    stepUp: true,
    summary: 'Delete a notification channel of the site; its waiting notifications are discarded',
    params: byId,
    answer: emptyData,
  },
  test: {
    method: 'POST',
    path: '/api/alerts/destinations/:id/test',
    access: 'root',
    summary: 'Send a test message now',
    params: byId,
    answer: testAnswer,
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/alerts/deliveries',
    access: 'root',
    summary: "List all users' notifications of the last 30 days with their delivery status, without their texts",
    query: deliveryQuery,
    answer: paged(deliveryAttempt),
  },
  sendAgain: {
    method: 'POST',
    path: '/api/alerts/deliveries/:id/again',
    access: 'root',
    summary: 'Resend a failed notification',
    params: oneDelivery,
    answer: emptyData,
  },
});

/** Notifications: sent through the users' chosen channels, stored until they are delivered, and traceable. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveryQueue } from './delivery-queue.ts';
export { listAutoDisabledTargets, listNotificationTargets } from './notification-targets.ts';
export { NOTIFICATIONS_PER_CHUNK, notifyStateChanges, selectSubjects } from './notify-state-changes.ts';
export { notifySite, notifyUser } from './queue-notifications.ts';

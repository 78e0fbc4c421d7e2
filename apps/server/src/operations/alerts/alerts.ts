/** Notifications: sent through the users' chosen channels, stored until they are delivered, and traceable. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveryQueue } from './delivery-queue.ts';
export { listAutoDisabledTargets, listNotificationTargets } from './notification-targets.ts';
export { notifyStateChanges } from './notify-state-changes.ts';
export { notifySite, notifyUser } from './queue-notifications.ts';

/** Notifications: sent through the users' chosen channels, stored until they are delivered, and traceable. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveryQueue } from './delivery-queue.ts';
export { listAutoDisabledTargets, listNotificationTargets } from './notification-targets.ts';
export { notifyStateChanges as tellBeginnings } from './notify-state-changes.ts';
export { notifySite as tellSite, notifyUser as tellUser } from './queue-notifications.ts';

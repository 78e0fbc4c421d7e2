/** Notifications: sent through the channels that people chose, kept until they are delivered, and traceable. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveries } from './delivery-queue.ts';
export { listDestinations, switchedOff } from './destinations.ts';
export { notifyNewStates as tellBeginnings } from './marks.ts';
export { notifySite as tellSite, notifyUser as tellUser } from './raise.ts';

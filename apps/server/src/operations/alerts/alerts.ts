/** What happened goes to people by the ways they chose, is kept until it is delivered, and can be followed. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveries } from './delivery-queue.ts';
export { listDestinations, switchedOff } from './destinations.ts';
export { notifyNewStates as tellBeginnings } from './marks.ts';
export { notifySite as tellSite, notifyUser as tellUser } from './raise.ts';

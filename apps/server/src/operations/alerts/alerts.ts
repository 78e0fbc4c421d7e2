/** What happened goes to people by the ways they chose, is kept until it is delivered, and can be followed. */
export { removeOldDeliveries } from './deliveries.ts';
export { startDeliveries } from './delivery-queue.ts';
export { listDestinations, switchedOff } from './destinations.ts';
export { tellBeginnings } from './marks.ts';
export { tellSite, tellUser } from './raise.ts';

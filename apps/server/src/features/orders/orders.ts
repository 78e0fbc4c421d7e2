/** Orders: how they are made, what becomes of them (`order-states.ts`), refunds, and how they heal themselves. */
export { buy } from './buy.ts';
export { receiveNotice } from './notices.ts';
export { askProcessors } from './reconcile.ts';
export { askAboutRefunds } from './send-refunds.ts';

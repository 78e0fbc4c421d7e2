/** Orders: how they are made (`buy.ts`), what becomes of them (`order-states.ts`), refunds, and how they heal themselves. */
export { askProcessors } from './reconcile.ts';
export { askAboutRefunds } from './send-refunds.ts';

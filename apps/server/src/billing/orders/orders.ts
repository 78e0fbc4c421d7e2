/** Orders: how they are made (`create-order.ts`), what becomes of them (`order-states.ts`), refunds, and how they heal themselves. */
export { exportOwnOrders } from './list-orders.ts';
export { pollOrders } from './poll-open-orders.ts';
export { pollRefunds } from './send-refunds.ts';

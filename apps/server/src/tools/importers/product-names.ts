/** One API and what was made of it. */
export const productNames = ['one-hub', 'done-hub', 'one-api', 'new-api'] as const;
export type ProductName = (typeof productNames)[number];

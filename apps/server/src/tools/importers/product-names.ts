/** Names of One API and its forks. */
export const productNames = ['one-hub', 'done-hub', 'one-api', 'new-api'] as const;
export type ProductName = (typeof productNames)[number];

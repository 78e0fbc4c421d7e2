import { prices } from '@switchyard/contract/catalog/prices';
import { readShippedPrices } from '../catalog/prices/prices.ts';
import type { SignedInUser } from './start-test-app.ts';

/** Removes shipped prices, for tests that price these models themselves. @param beginnings of their names */
export async function removeShippedPrices(
  admin: Pick<SignedInUser, 'api'>,
  beginnings: readonly string[],
): Promise<void> {
  const models = readShippedPrices()
    .map(({ model }) => model)
    .filter((model) => beginnings.some((beginning) => model.startsWith(beginning)));
  await admin.api(prices).removeMany({ body: { models } });
}

import { type Price, prices } from '@switchyard/contract/catalog/prices';
import { type FilePrice, filePrice } from './file-schema.ts';
import { type Api, added, changed, differing, type Plan, removed, type Step } from './plan.ts';

/** The server deletes no more at once. */
const REMOVED_AT_ONCE = 1_000;

export async function planPrices(
  api: Api,
  wanted: Readonly<Record<string, FilePrice>>,
  deleting: boolean,
): Promise<Plan> {
  const stored = new Map((await api(prices).all()).map((price) => [price.model, price]));
  const steps: Step[] = [];
  for (const [model, given] of Object.entries(wanted)) {
    const price = { ...given, tiers: given.tiers.toSorted((a, b) => a.above - b.above) };
    const known = stored.get(model);
    if (known !== undefined) steps.push(...updateOf(api, known, price));
    else
      steps.push({
        lines: [added(['prices', model])],
        run: async () => void (await api(prices).create({ body: { ...price, model } })),
      });
  }
  const left = [...stored.keys()].filter((model) => deleting && !Object.hasOwn(wanted, model));
  for (let at = 0; at < left.length; at += REMOVED_AT_ONCE) {
    const models = left.slice(at, at + REMOVED_AT_ONCE);
    steps.push({
      lines: models.map((model) => removed(['prices', model])),
      run: async () => void (await api(prices).removeMany({ body: { models } })),
    });
  }
  return { steps, notes: [] };
}

/** Somebody else's change since the list was read is not overwritten. */
function updateOf(api: Api, { model, version, ...known }: Price, price: FilePrice): Step[] {
  const before = filePrice.parse(known);
  const names = differing(before, price);
  if (names.length === 0) return [];
  const lines = names.flatMap((name) =>
    name === 'rates'
      ? differing(before.rates, price.rates).map((rate) =>
          changed(['prices', model, name, rate], before.rates[rate], price.rates[rate]),
        )
      : [changed(['prices', model, name], before[name], price[name])],
  );
  const body = { ...price, model, version };
  return [{ lines, run: async () => void (await api(prices).update({ params: { model }, body })) }];
}

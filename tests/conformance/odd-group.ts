import type { RelayScene } from '../../apps/server/src/testing/relay-scene.ts';

/** An odd number, so that a wrong rounding is detected. */
export const ODD_RATIO_MICROS = 1_370_000n;

/** Adds the group `odd` with an odd price ratio, and removes the rate limits of all groups. */
export async function addOddGroup({ ctx }: RelayScene): Promise<void> {
  const odd = { symbol: 'odd', name: 'Odd', ratio_micros: Number(ODD_RATIO_MICROS) };
  await ctx.db.writer
    .insertInto('user_group')
    .values({ ...odd, api_rate: 0, public: 1, enable: 1, order: 'weight' })
    .execute();
  await ctx.db.writer.updateTable('user_group').set({ api_rate: 0 }).execute();
  await ctx.changes.publish({ topic: 'user-groups' });
}

import type { RelayScene } from '../../apps/server/src/testing/relay-scene.ts';

/** Odd on purpose, so that a wrong rounding shows. */
export const ODD_RATIO_MICROS = 1_370_000n;

/** Adds the group `odd`, whose prices are multiplied by an odd ratio, and takes the limits of rate off all groups. */
export async function addOddGroup({ ctx }: RelayScene): Promise<void> {
  const odd = { symbol: 'odd', name: 'Odd', ratio_micros: Number(ODD_RATIO_MICROS) };
  await ctx.db.writer
    .insertInto('user_group')
    .values({ ...odd, api_rate: 0, public: 1, enable: 1, order: 'weight' })
    .execute();
  await ctx.db.writer.updateTable('user_group').set({ api_rate: 0 }).execute();
  await ctx.changes.publish({ topic: 'user-groups' });
}

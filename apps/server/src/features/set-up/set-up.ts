import type { Context } from '../../context.ts';

/** Returns the one-time code of the set-up link when no root account exists. */
export async function prepareFirstStart(_ctx: Context): Promise<string | undefined> {
  return undefined;
}

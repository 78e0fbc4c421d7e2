import type { Context } from '../context.ts';
import { saveOptions } from '../operations/settings/settings.ts';

/** Changes settings by their public names, with the permission of a root user who has just signed in. */
export async function setOptions(ctx: Context, options: Readonly<Record<string, string>>): Promise<void> {
  await saveOptions(
    ctx,
    { steppedUp: true },
    Object.entries(options).map(([key, value]) => ({ key, value })),
  );
}

import type { modelOwners } from '@switchyard/contract/model-owners';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { audit, changesBetween } from '../audit/audit.ts';
import { createOwner, findOwner, listOwners, removeOwner, updateOwner } from './model-owners.ts';

/** What an icon is, without what is in it. */
const told = <T extends { icon: string }>(owner: T) => ({ ...owner, icon: owner.icon.split(',')[0] });

export const modelOwnerRoutes = (ctx: Context): Handlers<typeof modelOwners> => ({
  list: () => listOwners(ctx),
  create: async ({ body }, call) => {
    const owner = await createOwner(ctx, body);
    await audit(ctx, call, {
      action: 'model-owner.create',
      target: `model-owner:${owner.id}`,
      detail: told(body),
    });
    return owner;
  },
  update: async ({ params, body }, call) => {
    const before = await findOwner(ctx, params.id);
    const owner = await updateOwner(ctx, params.id, body);
    await audit(ctx, call, {
      action: 'model-owner.update',
      target: `model-owner:${owner.id}`,
      detail: { changes: changesBetween(told(before), told(owner), ['name', 'icon']) },
    });
    return owner;
  },
  remove: async ({ params }, call) => {
    const { name, prices } = await findOwner(ctx, params.id);
    await removeOwner(ctx, params.id);
    await audit(ctx, call, {
      action: 'model-owner.delete',
      target: `model-owner:${params.id}`,
      detail: { name, prices },
    });
    return null;
  },
});

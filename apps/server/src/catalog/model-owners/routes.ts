import type { modelOwners } from '@switchyard/contract/catalog/model-owners';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createOwner, findOwner, listOwners, removeOwner, updateOwner } from './model-owners.ts';

/** Returns an icon for the audit log; for an embedded image only its type. */
const describeIcon = (icon: string): string => icon.split(',')[0] ?? '';

export const modelOwnerRoutes = (ctx: Context): Handlers<typeof modelOwners> => ({
  list: () => listOwners(ctx),
  create: async ({ body }, call) => {
    const owner = await createOwner(ctx, body);
    await audit(ctx, call, {
      action: 'model-owner.create',
      target: `model-owner:${owner.id}`,
      detail: { ...body, icon: describeIcon(body.icon) },
    });
    return owner;
  },
  update: async ({ params, body }, call) => {
    const before = await findOwner(ctx, params.id);
    const owner = await updateOwner(ctx, params.id, body);
    const { icon, ...changes } = diffRecords(before, owner, ['name', 'icon']);
    const iconChange = icon && { icon: { before: describeIcon(before.icon), after: describeIcon(owner.icon) } };
    await audit(ctx, call, {
      action: 'model-owner.update',
      target: `model-owner:${owner.id}`,
      detail: { changes: { ...changes, ...iconChange } },
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
  },
});

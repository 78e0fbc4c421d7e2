import type { modelDetails } from '@switchyard/contract/catalog/model-details';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { describeSource } from '../catalog-updates/catalog-updates.ts';
import { loadModelDetails } from '../models/models.ts';
import {
  createDetail,
  importDetails,
  listDescribedModels,
  readDetails,
  removeDetail,
  updateDetail,
} from './model-details.ts';

/** Maximum models of one import named in the audit log. */
const NAMES_KEPT = 500;

export const modelDetailRoutes = (ctx: Context): Handlers<typeof modelDetails> => ({
  list: () => listDescribedModels(ctx),
  create: async ({ body }, call) => {
    const detail = await createDetail(ctx, body);
    await audit(ctx, call, { action: 'model-detail.create', target: `model-detail:${body.model}`, detail: body });
    return detail;
  },
  update: async ({ params, body }, call) => {
    const before = (await loadModelDetails(ctx)).get(params.model) ?? {};
    const detail = await updateDetail(ctx, params.model, body);
    const fields = Object.keys({ ...before, ...body });
    await audit(ctx, call, {
      action: 'model-detail.update',
      target: `model-detail:${params.model}`,
      detail: { changes: diffRecords(before, body, fields) },
    });
    return detail;
  },
  remove: async ({ params }, call) => {
    const before = (await loadModelDetails(ctx)).get(params.model);
    await removeDetail(ctx, params.model);
    await audit(ctx, call, {
      action: 'model-detail.delete',
      target: `model-detail:${params.model}`,
      detail: { ...before },
    });
  },
  read: async ({ body }, call) => {
    const read = await readDetails(ctx, body);
    await audit(ctx, call, {
      action: 'model-detail.read',
      target: 'model-detail',
      detail: { source: describeSource(body), entries: read.entries.length },
    });
    return read;
  },
  import: async ({ body }, call) => {
    const counts = await importDetails(ctx, body);
    const models = body.details.slice(0, NAMES_KEPT).map(({ model }) => model);
    await audit(ctx, call, {
      action: 'model-detail.import',
      target: 'model-detail',
      detail: { known: body.known, ...counts, models },
    });
    return counts;
  },
});

import type { contentSafety, SafetyRuleForm } from '@switchyard/contract/operations/content-safety';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { audit } from '../audit/audit.ts';
import { createRule, getRule, listRules, removeRule, testText, updateRule } from './content-safety.ts';

/** Returns the form for the audit log: the number of words instead of the words, and whether there is a secret. */
const toAuditDetail = ({ words, secret, ...rest }: SafetyRuleForm): Record<string, unknown> => ({
  ...rest,
  words: words.length,
  new_secret: secret !== '',
});

export const contentSafetyRoutes = (ctx: Context): Handlers<typeof contentSafety> => ({
  list: () => listRules(ctx),
  get: ({ params }) => getRule(ctx, params.id),
  create: async ({ body }, call) => {
    const rule = await createRule(ctx, body);
    const target = `safety-rule:${rule.id}`;
    await audit(ctx, call, { action: 'safety-rule.create', target, detail: toAuditDetail(body) });
    return rule;
  },
  update: async ({ params, body }, call) => {
    const rule = await updateRule(ctx, params.id, body);
    const target = `safety-rule:${rule.id}`;
    await audit(ctx, call, { action: 'safety-rule.update', target, detail: toAuditDetail(body) });
    return rule;
  },
  remove: async ({ params }, call) => {
    const name = await removeRule(ctx, params.id);
    const target = `safety-rule:${params.id}`;
    await audit(ctx, call, { action: 'safety-rule.delete', target, detail: { name } });
  },
  try: ({ body }) => testText(ctx, body),
});

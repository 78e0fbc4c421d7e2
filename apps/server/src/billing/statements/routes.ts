import type { statements } from '@switchyard/contract/billing/statements';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  formatStatementCsv,
  formatStatementNumber,
  getStatement,
  getStatementPdf,
  listStatements,
  storeMonthStatements,
} from './statements.ts';

export const statementRoutes = (ctx: Context): Handlers<typeof statements> => ({
  list: ({ query }, { caller }) => listStatements(ctx, caller.userId, query),
  models: async ({ query }, { caller }) => (await getStatement(ctx, caller.userId, query.date)).models,
  get: ({ query }, { caller }) => getStatement(ctx, caller.userId, query.date),
  pdf: async ({ query }, call) => {
    call.setFileName(`statement-${formatStatementNumber(query.date, call.caller.userId)}.pdf`);
    return getStatementPdf(ctx, call.caller.userId, query.date);
  },
  csv: async ({ query }, call) => {
    call.setFileName(`statement-${formatStatementNumber(query.date, call.caller.userId)}.csv`);
    return formatStatementCsv(await getStatement(ctx, call.caller.userId, query.date));
  },
  generate: async ({ params }, call) => {
    await storeMonthStatements(ctx, params.date, 'missing');
    await audit(ctx, call, { action: 'statement.generate', target: `statement:${params.date}` });
  },
  regenerate: async ({ params }, call) => {
    await storeMonthStatements(ctx, params.date, 'all');
    await audit(ctx, call, { action: 'statement.regenerate', target: `statement:${params.date}` });
  },
});

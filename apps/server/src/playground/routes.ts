import type { playground } from '@switchyard/contract/playground/playground';
import type { Context } from '../context.ts';
import type { Handlers } from '../platform/http/mount-routes.ts';
import {
  createConversation,
  listConversations,
  readConversation,
  readRequestCost,
  removeConversation,
  removeConversations,
  renameConversation,
  saveConversation,
} from './playground.ts';

export const playgroundRoutes = (ctx: Context): Handlers<typeof playground> => ({
  record: ({ params }, { caller }) => readRequestCost(ctx, caller, params.request_id),
  listConversations: ({ query }, { caller }) => listConversations(ctx, caller, query),
  readConversation: ({ params }, { caller }) => readConversation(ctx, caller, params.id),
  createConversation: ({ body }, { caller }) => createConversation(ctx, caller, body),
  saveConversation: ({ params, body }, { caller }) => saveConversation(ctx, caller, params.id, body),
  renameConversation: ({ params, body }, { caller }) => renameConversation(ctx, caller, params.id, body.title),
  removeConversation: ({ params }, { caller }) => removeConversation(ctx, caller, params.id),
  removeConversations: (_input, { caller }) => removeConversations(ctx, caller.userId),
});

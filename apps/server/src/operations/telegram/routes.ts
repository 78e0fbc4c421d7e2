import type { telegram } from '@switchyard/contract/operations/telegram';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { audit, diffRecords } from '../audit/audit.ts';
import {
  beginBinding,
  findTelegramId,
  notConnectedError,
  readTelegramBinding,
  unbindTelegram,
} from './bind-account.ts';
import { sendReply } from './bot-api.ts';
import { readBotState } from './bot-connection-state.ts';
import {
  addCommand,
  getCommand,
  listCommands,
  moveCommand,
  pushCommands,
  removeCommand,
  updateCommand,
} from './custom-commands.ts';

const nameOf = (id: number): string => `telegram_command:${id}`;

export const telegramRoutes = (ctx: Context): Handlers<typeof telegram> => ({
  get: (_input, { caller }) => readTelegramBinding(ctx, caller),
  begin: (_input, { caller }) => beginBinding(ctx, caller),
  unbind: (_input, call) => unbindTelegram(ctx, call),
  status: () => readBotState(ctx),
  list: ({ query }) => listCommands(ctx, query),
  save: async ({ body: { id, ...fields } }, call) => {
    if (id === 0) {
      const command = await addCommand(ctx, fields);
      const target = nameOf(command.id);
      await audit(ctx, call, { action: 'telegram-command.create', target, detail: fields });
      return command;
    }
    const before = await getCommand(ctx, id);
    const command = await updateCommand(ctx, id, fields);
    await audit(ctx, call, {
      action: 'telegram-command.update',
      target: nameOf(id),
      detail: {
        changes: diffRecords(before, command, ['command', 'description', 'parse_mode', 'reply_message', 'enabled']),
      },
    });
    return command;
  },
  move: async ({ params: { id }, body }, call) => {
    await moveCommand(ctx, id, body.to);
    await audit(ctx, call, { action: 'telegram-command.move', target: nameOf(id), detail: body });
  },
  remove: async ({ params: { id } }, call) => {
    const { command } = await getCommand(ctx, id);
    await removeCommand(ctx, id);
    await audit(ctx, call, { action: 'telegram-command.delete', target: nameOf(id), detail: { command } });
  },
  reload: async (_input, call) => {
    await pushCommands(ctx);
    await audit(ctx, call, { action: 'telegram-command.reload', target: 'telegram' });
  },
  test: async ({ body }, { caller }) => {
    const subject = await findTelegramId(ctx, caller.userId);
    if (subject === undefined) throw notConnectedError();
    return { plain_because: await sendReply(ctx, Number(subject), body) };
  },
});

import { createClient } from '@switchyard/contract/client';
import type { TelegramCommandId } from '@switchyard/contract/ids';
import { type CommandFields, type TelegramCommand, telegram } from '@switchyard/contract/operations/telegram';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(telegram, send);
const all = ['telegram'] as const;
const bot = ['telegram-bot'] as const;
const STATE_MS = 5_000;

export const telegramQuery = queryOptions({ queryKey: all, queryFn: ({ signal }) => api.get({}, signal) });

export const beginTelegram = () => withStepUp(() => api.begin());

export const useUnbindTelegram = () => useListChange(all, () => withStepUp(() => api.unbind()));

export const botStateQuery = queryOptions({
  queryKey: [...bot, 'state'],
  queryFn: ({ signal }) => api.status({}, signal),
  refetchInterval: STATE_MS,
});

/** Query for all commands; Telegram shows at most a hundred. */
export const commandsQuery = queryOptions({
  queryKey: [...bot, 'list'],
  queryFn: async ({ signal }) => (await api.list({ query: { size: 100 } }, signal)).data,
});

type SavedCommand = CommandFields & { id: TelegramCommand['id'] | 0 };

export const useSaveCommand = () => useListChange(bot, (body: SavedCommand) => api.save({ body }));

export const useMoveCommand = () =>
  useListChange(bot, ({ id, to }: { id: TelegramCommandId; to: 'up' | 'down' }) =>
    api.move({ params: { id }, body: { to } }),
  );

export const useRemoveCommand = () => useListChange(bot, (id: TelegramCommandId) => api.remove({ params: { id } }));

export const useReloadCommands = () => useMutation({ mutationFn: () => api.reload() });

/** @returns why Telegram got plain text; empty if it accepted the formatted reply */
export const useTestReply = () =>
  useMutation({
    mutationFn: async (reply: Pick<CommandFields, 'parse_mode' | 'reply_message'>) =>
      (await api.test({ body: reply })).plain_because,
  });

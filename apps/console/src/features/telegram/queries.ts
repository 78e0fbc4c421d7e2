import { createClient } from '@switchyard/contract/client';
import { telegram } from '@switchyard/contract/telegram';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../api.ts';
import { useListChange } from '../../list-changes.ts';
import { withStepUp } from '../../ui/step-up.ts';

const api = createClient(telegram, send);
const all = ['telegram'] as const;

export const telegramQuery = queryOptions({
  queryKey: all,
  queryFn: ({ signal }) => api.get({}, signal),
});

export const beginTelegram = () => withStepUp(() => api.begin());

export const useUnbindTelegram = () => useListChange(all, () => withStepUp(() => api.unbind()));

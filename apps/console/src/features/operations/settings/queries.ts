import { createClient } from '@switchyard/contract/client';
import {
  type SettingName,
  type Settings,
  settingDefinitions,
  settings,
} from '@switchyard/contract/operations/settings';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { hintsFrom, optionsOf, settingsFrom } from './settings-form-values.ts';

const api = createClient(settings, send);

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => settingsFrom(await api.list({}, signal)),
  // A refetch would not update the form, which holds the values while they are edited.
  refetchOnWindowFocus: false,
});

const HISTORY_PAGE = 20;

/** @param key public name of a setting; undefined for all settings */
export function historyQuery(key: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['settings', 'history', key],
    queryFn: ({ pageParam, signal }) => api.history({ query: { key, page: pageParam, size: HISTORY_PAGE } }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ page, size, total_count }) => (page * size < total_count ? page + 1 : undefined),
  });
}

/** Query for the hint of each secret setting. */
export const secretHintsQuery = queryOptions({
  queryKey: ['settings', 'secrets'],
  queryFn: async ({ signal }) => hintsFrom(await api.secrets({}, signal)),
});

/** Saves the changed settings in one call; sensitive ones need a confirmation. */
export const useSaveSettings = () =>
  useSettingsChange(({ names, values }: { names: readonly SettingName[]; values: Settings }) =>
    optionsOf(names, values),
  );

export const useClearSecret = () =>
  useSettingsChange((name: SettingName) => [{ key: settingDefinitions[name].option, value: '' }]);

/** Changes settings and refetches the public site information. */
function useSettingsChange<Input>(optionsFor: (input: Input) => { key: string; value: string }[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withStepUp(() => api.updateMany({ body: optionsFor(input) })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['settings'] });
      await client.invalidateQueries({ queryKey: ['site'] });
    },
  });
}

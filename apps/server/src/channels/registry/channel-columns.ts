import type {
  CreateChannel,
  updateChannel as updateChannelSchema,
} from '@switchyard/contract/channels/channels';
import type { Provider } from '@switchyard/relay';
import type { z } from 'zod';
import { defined } from '../../db/defined.ts';

type UpdateChannel = z.output<typeof updateChannelSchema>;

/** Returns the columns of a new row that its form doesn't set. */
export const newRow = (now: number) => ({
  name: '',
  key_sealed: '',
  key_hint: '',
  headers_sealed: '',
  proxy_sealed: '',
  status: 'enabled' as const,
  disabled_reason: '',
  created_time: now,
  test_time: 0,
  response_time: 0,
  balance_micro_usd: null,
  balance_updated_time: 0,
  deleted_time: null,
});

type Settings = Omit<CreateChannel, 'key' | 'type' | 'model_headers' | 'proxy'>;

/** The columns of the fields that were sent. */
export function settingColumns(provider: Provider, input: Settings): Required<SettingColumns>;
export function settingColumns(provider: Provider, input: UpdateChannel): SettingColumns;
export function settingColumns(provider: Provider, input: Settings | UpdateChannel): SettingColumns {
  const json = (value: unknown): string | undefined =>
    value === undefined ? undefined : JSON.stringify(value);
  return {
    provider: provider.id,
    ...defined({
      name: input.name,
      base_url: input.base_url,
      options: json(input.options),
      models: json(input.models && [...new Set(input.models)]),
      groups: json(input.group && [...new Set(input.group)]),
      tag: input.tag,
      model_mapping: json(input.model_mapping),
      test_model: input.test_model,
      priority: input.priority,
      weight: input.weight,
      deadlines: json(input.deadlines),
      only_chat: input.only_chat === undefined ? undefined : Number(input.only_chat),
      lacks: json(input.lacks && [...new Set(input.lacks)]),
      held_prompt: input.held_prompt,
      cost: json(input.cost),
      request_changes: json(input.request_changes),
      caps: json(input.caps),
    }),
  };
}

interface SettingColumns {
  provider: string;
  name?: string;
  base_url?: string;
  options?: string;
  models?: string;
  groups?: string;
  tag?: string;
  model_mapping?: string;
  test_model?: string;
  priority?: number;
  weight?: number;
  only_chat?: number;
  lacks?: string;
  held_prompt?: CreateChannel['held_prompt'];
  cost?: string;
  deadlines?: string;
  request_changes?: string;
  caps?: string;
}

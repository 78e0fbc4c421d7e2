import { type ChannelChange, channelChange } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';

/** Fields that a bulk edit of channels can change, in the order of the menu. */
export const editableFields = [
  'status',
  'models',
  'group',
  'tag',
  'priority',
  'weight',
  'model_mapping',
  'base_url',
  'proxy',
  'model_headers',
  'test_model',
  'only_chat',
  'lacks',
  'held_prompt',
  'cost_ratio',
  'deadlines',
  'streaming',
  'system_as_user',
  'bodies',
] as const;

export type EditableField = (typeof editableFields)[number];

const listWays = ['add', 'remove', 'replace'] as const;

const pairWays = ['set', 'remove', 'replace'] as const;

export type Way = (typeof listWays)[number] | (typeof pairWays)[number];

/** Returns how a field with several values can change; the first way is the default. */
export function waysOf(field: EditableField): readonly Way[] {
  if (field === 'models' || field === 'group' || field === 'lacks') return listWays;
  return field === 'model_mapping' || field === 'model_headers' ? pairWays : [];
}

export interface EditForm {
  fields: readonly EditableField[];
  values: CreateChannel;
  status: 'enabled' | 'disabled';
  ways: Readonly<Partial<Record<EditableField, Way>>>;
}

/** Returns the change for the added fields. */
export function changeOf({ fields, values, status, ways }: EditForm): ChannelChange {
  const change: ChannelChange = {};
  const wayOf = (field: EditableField): Way => ways[field] ?? waysOf(field)[0] ?? 'replace';
  for (const field of fields) {
    if (field === 'status') change.status = status;
    else if (field === 'models' || field === 'group') change[field] = { [wayOf(field)]: values[field] };
    else if (field === 'lacks') change.lacks = { [wayOf(field)]: values.lacks };
    else if (field === 'model_mapping' || field === 'model_headers')
      change[field] = pairsChange(wayOf(field), values[field]);
    else if (field === 'cost_ratio') change.cost = { ratio: values.cost.ratio };
    else if (field === 'deadlines') change.deadlines = filled(values.deadlines);
    else if (field === 'streaming' || field === 'system_as_user' || field === 'bodies')
      change.request_changes = { ...change.request_changes, [field]: values.request_changes[field] };
    else Object.assign(change, { [field]: values[field] });
  }
  return change;
}

/** Returns the contract's validation issues of a change before it is sent. */
export function issuesOf(change: ChannelChange): readonly z.core.$ZodIssue[] {
  return z.safeEncode(channelChange, change).error?.issues ?? [];
}

function pairsChange(way: Way, pairs: Record<string, string>): ChannelChange['model_mapping'] {
  return way === 'remove' ? { remove: Object.keys(pairs) } : { [way]: pairs };
}

/** Returns only the deadlines that are set; the others keep each channel's value. */
function filled(deadlines: CreateChannel['deadlines']): ChannelChange['deadlines'] {
  const entries = Object.entries(deadlines).filter(([, value]) => value !== null && value !== 0);
  return Object.fromEntries(entries);
}

/** Returns a function that names a channel's field as its form does; an unknown field keeps its own name. */
export function useFieldName() {
  const { t } = useTranslation('channels');
  const names: Readonly<Record<EditableField, string>> = {
    status: t('status'),
    models: t('models'),
    group: t('groups'),
    tag: t('tag'),
    priority: t('priority'),
    weight: t('weight'),
    model_mapping: t('mapping'),
    base_url: t('baseUrl'),
    proxy: t('proxy'),
    model_headers: t('headers'),
    test_model: t('testModel'),
    only_chat: t('onlyChat'),
    lacks: t('lacks'),
    held_prompt: t('heldPrompt'),
    cost_ratio: t('costRatio'),
    deadlines: t('deadlines'),
    streaming: t('streaming'),
    system_as_user: t('systemAsUser'),
    bodies: t('bodyChanges'),
  };
  const others: Readonly<Record<string, string>> = { name: t('name'), key: t('key'), type: t('type') };
  const all: Readonly<Record<string, string>> = { ...names, ...others };
  return (path: string): string => all[path] ?? all[path.split('.')[0] ?? ''] ?? path;
}

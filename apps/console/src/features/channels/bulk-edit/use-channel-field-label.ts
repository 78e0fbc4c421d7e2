import { useTranslation } from 'react-i18next';
import type { EditableField } from './bulk-edit-fields.ts';

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

import {
  type ConversationSettings,
  conversationSettings,
  type OutputKind,
} from '@switchyard/contract/playground/conversation';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from '../../../ui/filters/search-params.ts';
import { availableModelsQuery, ownModelsQuery, preferredModel } from '../../catalog/models/queries.ts';
import { initialSettings } from '../composer/build-requests.ts';
import { inferRequestKind } from '../composer/request-kind.ts';
import { readSession, writeSession } from '../conversations/browser-tab-storage.ts';

/** Returns this tab's settings, with the model from `?model=`, the last use, or a small default. */
export function useChatSettings(owner: string) {
  const key = `playground.settings.${owner}`;
  const asked = useSearchParams()['model'];
  const [stored, setSettings] = useState(() => {
    const kept = readSession(key, conversationSettings) ?? initialSettings;
    return asked === undefined ? kept : { ...kept, models: [asked], for: undefined };
  });
  useEffect(() => writeSession(key, stored), [key, stored]);
  const names = useQuery(ownModelsQuery).data ?? [];
  const facts = useQuery(availableModelsQuery).data ?? {};
  const usual = preferredModel(names) ?? '';
  const settings: ConversationSettings = { ...stored, models: stored.models.map((model) => model || usual) };
  const nextModel = names.find((name) => !settings.models.includes(name)) ?? usual;
  const [model = ''] = settings.models;
  const wanted: OutputKind = settings.for ?? inferRequestKind(model, facts[model]);
  return { settings, setSettings, nextModel, wanted };
}

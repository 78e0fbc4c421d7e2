import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from '../../ui/search-params.ts';
import { ownModelsQuery, usualModel } from '../models/queries.ts';
import { type ChatSettings, chatSettings, initialSettings } from './chat-request.ts';
import { readSession, writeSession } from './session-store.ts';

/** The settings of this tab. `?model=` in the address says whom to ask; else it is the last one, else a small one. */
export function useChatSettings(owner: string) {
  const key = `playground.settings.${owner}`;
  const asked = useSearchParams()['model'];
  const [stored, setSettings] = useState(() => {
    const kept = readSession(key, chatSettings) ?? initialSettings;
    return asked === undefined ? kept : { ...kept, models: [asked] };
  });
  useEffect(() => writeSession(key, stored), [key, stored]);
  const names = useQuery(ownModelsQuery).data ?? [];
  const usual = usualModel(names) ?? '';
  const settings: ChatSettings = { ...stored, models: stored.models.map((model) => model || usual) };
  const nextModel = names.find((name) => !settings.models.includes(name)) ?? usual;
  return { settings, setSettings, nextModel };
}

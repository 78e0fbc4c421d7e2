import { ApiError } from '@switchyard/contract/http-exchange';
import { type ConversationId, conversationId } from '@switchyard/contract/ids';
import type {
  ConversationContent,
  ConversationSettings,
  StoredTurn,
} from '@switchyard/contract/playground/conversation';
import { CONVERSATION_BYTES_MAX, type ListedConversation } from '@switchyard/contract/playground/playground';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import type { Chat } from '../composer/use-chat.ts';
import { api, conversationsKey } from '../page/queries.ts';
import { readSession, writeSession } from './browser-tab-storage.ts';
import { deriveTitle, isAnswered, nextTitle, stopRunning, toStoredTurns } from './conversation.ts';

/** Stored conversation of the screen; without `id` it is not saved yet. */
const place = z.object({
  id: conversationId.optional(),
  title: z.string(),
  version: z.number(),
  /** True if the user turned saving off. */
  off: z.boolean(),
});
export type SavedConversation = z.output<typeof place>;
const unsavedConversation: SavedConversation = { title: '', version: 0, off: false };

export type SaveStatus = 'nothing' | 'saving' | 'saved' | 'off' | SaveFailure;
/** Reasons for not saving, each with its own text. */
type SaveFailure = 'too-large' | 'too-many' | 'switched-off' | 'gone' | 'failed';

export interface StoredConversationState {
  place: SavedConversation;
  keeping: SaveStatus;
  /** True if a conversation is loading. */
  opening: boolean;
  setOff: (off: boolean) => void;
  setTitle: (title: string) => void;
  saveNow: () => void;
  /** Replaces the content of the screen; a conversation without an id is saved as a new one. */
  show: (content: ConversationContent, at: SavedConversation) => void;
  /** Starts an empty conversation and returns a function that restores the previous one. */
  begin: () => () => void;
}

interface Screen {
  owner: string;
  chat: Chat;
  settings: ConversationSettings;
  onSettings: (settings: ConversationSettings) => void;
}

/**
 * Saves the whole conversation on the server after each turn; if another tab saved it meanwhile, as a new
 * conversation. `?conversation=` opens one.
 */
export function useStoredConversation({ owner, chat, settings, onSettings }: Screen): StoredConversationState {
  const { t } = useTranslation('playground');
  const client = useQueryClient();
  const notifyError = useNotifyError();
  const setSearch = useSetSearchParams();
  const key = `playground.place.${owner}`;
  const [at, setAt] = useState(() => readSession(key, place) ?? unsavedConversation);
  useEffect(() => writeSession(key, at), [key, at]);
  const [keeping, setKeeping] = useState<SaveStatus>(at.id === undefined ? 'nothing' : 'saved');
  const { turns, running, replaceTurns } = chat;
  const saved = useRef<readonly StoredTurn[]>(turns);
  /** Counter of the conversations on the screen, by which a finished save detects that it is outdated. */
  const screenful = useRef(0);
  const latestSave = useRef<Promise<ConversationId | undefined>>(undefined);
  // A conversation from before the page load is fetched again, because it may have changed elsewhere.
  const [fresh, setFresh] = useState<number>();

  const show = useCallback(
    (content: ConversationContent, at: SavedConversation) => {
      screenful.current += 1;
      latestSave.current = undefined;
      replaceTurns(content.turns);
      onSettings(content.settings);
      setAt(at);
      setFresh(at.id);
      setSearch({ conversation: at.id?.toString(), prompt: undefined }, 'push');
      setKeeping(at.id === undefined ? 'nothing' : 'saved');
      saved.current = at.id === undefined ? [] : content.turns;
    },
    [replaceTurns, onSettings, setSearch],
  );
  const opening = useOpening(fresh, show);

  const save = async (): Promise<ConversationId | undefined> => {
    const content = { settings, turns: toStoredTurns(turns) };
    saved.current = turns;
    if (new Blob([JSON.stringify(content)]).size > CONVERSATION_BYTES_MAX) {
      setKeeping('too-large');
      return undefined;
    }
    const begunIn = screenful.current;
    setKeeping('saving');
    const onSecond = () => notify('warning', t('keptTwice'));
    const { now, trouble } = await store(at, content, deriveTitle(turns) || t('untitled'), onSecond);
    void client.invalidateQueries({ queryKey: conversationsKey });
    if (screenful.current !== begunIn) return now?.id;
    if (now !== undefined) {
      setAt({ id: now.id, title: now.title, version: now.version, off: false });
      setFresh(now.id);
      setSearch({ conversation: String(now.id) });
    } else if (trouble === 'gone') setAt({ ...unsavedConversation, off: true });
    setKeeping(trouble ?? 'saved');
    return now?.id;
  };
  const saveLatest = useEffectEvent(save);
  // Changes during a save are saved after it.
  const due = !at.off && !running && !opening && keeping !== 'saving' && isAnswered(turns);
  useEffect(() => {
    if (due && turns !== saved.current) latestSave.current = saveLatest();
  }, [due, turns]);

  return {
    place: at,
    keeping: at.off && keeping !== 'gone' ? 'off' : keeping,
    opening,
    setTitle: (title) => setAt({ ...at, title }),
    saveNow: () => {
      latestSave.current = save();
    },
    setOff: (off) => {
      screenful.current += 1;
      saved.current = [];
      setKeeping('nothing');
      setAt({ ...unsavedConversation, title: at.title, off });
      setSearch({ conversation: undefined });
      // A conversation that is being saved has an id only afterwards.
      const kept = Promise.resolve(at.id ?? latestSave.current);
      latestSave.current = undefined;
      if (off) void remove(kept, client).catch(notifyError);
    },
    show,
    begin: () => {
      const before = { settings, turns: stopRunning(turns) };
      show({ settings, turns: [] }, unsavedConversation);
      return () => show(before, at);
    },
  };
}

async function remove(kept: Promise<ConversationId | undefined>, client: QueryClient): Promise<void> {
  const id = await kept;
  if (id === undefined) return;
  await api.removeConversation({ params: { id } });
  await client.invalidateQueries({ queryKey: conversationsKey });
}

/** Loads the conversation in the URL when it changes, unless it is already on the screen. */
function useOpening(fresh: number | undefined, show: StoredConversationState['show']): boolean {
  const { t } = useTranslation('playground');
  const notifyError = useNotifyError();
  const setSearch = useSetSearchParams();
  const asked = conversationId.safeParse(useSearchParams()['conversation']).data;
  const fail = useEffectEvent((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not-found') notify('error', t('noConversation'));
    else notifyError(error);
    setSearch({ conversation: undefined });
  });
  const arrive = useEffectEvent(show);
  const isShown = useEffectEvent((id: number) => id === fresh);
  useEffect(() => {
    if (asked === undefined || isShown(asked)) return undefined;
    const controller = new AbortController();
    api
      .readConversation({ params: { id: asked } }, controller.signal)
      .then(({ id, title, version, content }) => arrive(content, { id, title, version, off: false }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) fail(error);
      });
    return () => controller.abort();
  }, [asked]);
  return asked !== undefined && asked !== fresh;
}

interface Stored {
  now?: ListedConversation;
  trouble?: SaveFailure;
}

async function store(...input: Parameters<typeof createOrSave>): Promise<Stored> {
  try {
    return { now: await createOrSave(...input) };
  } catch (error) {
    return { trouble: (error instanceof ApiError ? saveFailures[error.code] : undefined) ?? 'failed' };
  }
}

/**
 * Saves the conversation. If another tab has saved a different version, it is saved as a new conversation.
 */
async function createOrSave(
  { id, version, title }: SavedConversation,
  content: ConversationContent,
  newTitle: string,
  onSecond: () => void,
): Promise<ListedConversation> {
  if (id === undefined) return api.createConversation({ body: { title: title || newTitle, content } });
  try {
    return await api.saveConversation({ params: { id }, body: { version, content } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
    const second = await api.createConversation({ body: { title: nextTitle(title), content } });
    onSecond();
    return second;
  }
}

const saveFailures: Partial<Record<ApiError['code'], SaveFailure>> = {
  'too-large': 'too-large',
  'switched-off': 'switched-off',
  conflict: 'too-many',
  'not-found': 'gone',
};

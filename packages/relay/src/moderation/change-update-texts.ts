/** Moderation of text that a vendor's model wrote for a task: lyrics, and the text around a song. */

import { getUpstreamTasks } from '../exchange/task-calls.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { TaskUpdate } from '../model/task-types.ts';
import { type ChangeTexts, changeFields } from './change-texts.ts';

/** The news with those texts changed that are to be changed. Addresses stay as they are. */
export function changeUpdateTexts(
  format: UpstreamDialectId,
  news: TaskUpdate,
  change: ChangeTexts,
): TaskUpdate {
  const changeWords: ChangeTexts = (texts) => (texts.every(isAddress) ? texts : change(texts));
  const works = news.works.map(({ text, title, ...work }) => ({
    ...work,
    ...changeFields(
      { ...(text !== undefined && { text }), ...(title !== undefined && { title }) },
      changeWords,
    ),
  }));
  const { generatedTextField: written } = getUpstreamTasks(format);
  if (written === undefined) return { ...news, works };
  const said = changeFields({ [written]: news.said[written] }, changeWords);
  return { ...news, works, said: { ...news.said, ...said } };
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text);

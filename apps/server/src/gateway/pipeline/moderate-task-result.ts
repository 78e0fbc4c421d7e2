/** Moderation of texts that providers wrote for tasks, such as lyrics, by the rules for responses. */
import { changeUpdateTexts, type TaskUpdate } from '@switchyard/relay';
import {
  ContentModerator,
  type LoadedRule,
  type LoadedRules,
  type SafetyCounter,
} from '../../operations/content-safety/content-safety.ts';
import type { Log } from '../../platform/log.ts';
import type { ModerateTask } from '../../tasks/tasks.ts';
import type { UnpaidRequestLimit } from '../limits/unpaid-request-limit.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export interface ModerateTaskParts {
  snapshot: Snapshot;
  safety: LoadedRules;
  safetyCounts: SafetyCounter;
  unpaidRequestLimit: Pick<UnpaidRequestLimit, 'record'>;
  log: Log;
}

const REFUSED =
  'The content policy of this gateway blocked the result. Change the request, or send its ID to the operator.';

/**
 * Returns a function that moderates task updates. Findings are recorded once, with the final update, because updates
 * are frequent.
 */
export function createModerateTask({
  snapshot,
  safety,
  safetyCounts,
  unpaidRequestLimit,
  log,
}: ModerateTaskParts): ModerateTask {
  return (task, news) => {
    const group = snapshot.user(task.user_id)?.group;
    const lists = group === undefined ? undefined : safety.forGroup(group)?.words.output;
    if (lists === undefined) return news;
    const found: LoadedRule[] = [];
    const words = new ContentModerator(lists, (rule) => found.push(rule));
    const changed = changeUpdateTexts(task.upstream_format, news, (texts) => words.mask(texts));
    if (news.status === 'succeeded')
      for (const { id, name, action } of found) {
        safetyCounts.add(id);
        log.info({ task: task.id, rule: name, action }, 'content safety matched a rule in a task result');
      }
    if (!words.isRefused) return changed;
    // The provider bills the result, which costs the user nothing.
    if (news.status === 'succeeded') unpaidRequestLimit.record(task.user_id);
    return withholdContent(news);
  };
}

function withholdContent(news: TaskUpdate): TaskUpdate {
  const nothing = { ...news, works: [], said: {} };
  return news.status === 'succeeded' ? { ...nothing, status: 'failed', failure: REFUSED } : nothing;
}

import type { NoticeKind } from '@switchyard/contract/operations/notices';

/** What somebody dismissed: the state of a kind as it was then. */
export interface NoticeSeenTable {
  user_id: number;
  kind: NoticeKind;
  mark: string;
  /** UTC seconds. */
  seen_time: number;
}

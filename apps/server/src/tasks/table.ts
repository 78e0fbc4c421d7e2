import type { DialectId, TaskStatus, UpstreamDialectId } from '@switchyard/relay';

/** Work that a vendor does after it has taken the order. */
export interface TaskTable {
  /** Ours, not to be guessed. Nobody but the engine sees the vendor's. */
  id: string;
  /** Id of the submission's request, whose hold is kept until the task ends. */
  request_id: string;
  user_id: number;
  api_key_id: number | null;
  channel_id: number;
  channel_key_id: string;
  group_symbol: string;
  /** The dialect in which it was ordered. */
  client_format: DialectId;
  /** The dialect in which the vendor is asked. */
  upstream_format: UpstreamDialectId;
  upstream_id: string;
  /** The task that it goes on from. */
  origin_id: string | null;
  action: string;
  model: string;
  upstream_model: string;
  status: TaskStatus;
  /** Percent. */
  progress: number;
  prompt: string;
  /** JSON of what the client asked for, without pictures and films. */
  request: string;
  /** JSON of `StoredNews`: the last that the vendor said. */
  news: string;
  /** Why it failed; empty: it did not. */
  failure: string;
  /** Expected charge if the artifact comes as submitted, in points. */
  expected: number;
  /** Points; null until it ended. */
  charge: number | null;
  /** JSON of `TaskTerms`. */
  terms: string;
  /** Called of every change; empty: nobody is. */
  notify_url: string;
  /**
   * The scheme and host by which the client reached this server, for addresses in callbacks while the operator has set
   * none. The client wrote them, and only its own callbacks repeat them. Empty: unknown, or there are no callbacks.
   */
  notify_site: string;
  /** When it is called next; null: there is nothing to tell. */
  notify_at: number | null;
  /** Number of attempts to call the client about the pending change. */
  notify_tries: number;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  deadline_at: number;
  next_look_at: number;
  /** Number of consecutive failed polls. */
  failed_looks: number;
}

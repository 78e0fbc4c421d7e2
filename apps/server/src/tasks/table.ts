import type { DialectId, TaskStatus, UpstreamDialectId } from '@switchyard/relay';

/** Work that a vendor does after it has accepted the submission. */
export interface TaskTable {
  /** Gateway's own unguessable id. The vendor's id is not shown to users. */
  id: string;
  /** Id of the submission's request, whose hold stays open until the task ends. */
  request_id: string;
  user_id: number;
  api_key_id: number | null;
  channel_id: number;
  channel_key_id: string;
  group_symbol: string;
  /** Dialect of the submission. */
  client_format: DialectId;
  /** Dialect in which the vendor is polled. */
  upstream_format: UpstreamDialectId;
  upstream_id: string;
  /** Task that this one continues. */
  origin_id: string | null;
  action: string;
  model: string;
  upstream_model: string;
  status: TaskStatus;
  /** Percent. */
  progress: number;
  prompt: string;
  /** JSON of the client's request, without images and videos. */
  request: string;
  /** JSON of `StoredStatusUpdate`: the vendor's last status update. */
  news: string;
  /** Reason of the failure; empty otherwise. */
  failure: string;
  /** Expected charge in points if the artifact matches the submission. */
  expected: number;
  /** Points; null until the task ends. */
  charge: number | null;
  /** JSON of `TaskTerms`. */
  terms: string;
  /** Callback address for every change; empty for none. */
  notify_url: string;
  /**
   * Scheme and host by which the client reached this server, for addresses in callbacks while the operator has set
   * none. The client chose them, and only its own callbacks contain them. Empty if unknown, or without callbacks.
   */
  notify_site: string;
  /** Time of the next callback; null when none is pending. */
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

/** A file of requests or of answers; its bytes lie in the data folder, under its id. */
export interface BatchFileTable {
  /** Ours, not to be guessed. */
  id: string;
  user_id: number;
  api_key_id: number | null;
  purpose: 'batch' | 'batch_output';
  filename: string;
  bytes: number;
  created_at: number;
  expires_at: number;
}

export type BatchStatus =
  | 'validating'
  | 'failed'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'expired'
  | 'cancelling'
  | 'cancelled';

/** Requests that were sent in a file, to be answered within a day. */
export interface BatchTable {
  /** Ours, not to be guessed. */
  id: string;
  user_id: number;
  /** With which it was made, and its requests are made. */
  api_key_id: number;
  /** From which it was made, and its requests count as sent. */
  address: string;
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  /** How long the files of answers are kept; null: as the settings say. */
  output_seconds: number | null;
  /** JSON, as the client gave it. */
  metadata: string | null;
  /** JSON of `BatchProblem[]`: why it failed. */
  errors: string | null;
  /** Empty until its file has been read. */
  model: string;
  status: BatchStatus;
  total: number;
  completed: number;
  failed: number;
  /** The account at whose vendor it runs; null: it is asked line by line. */
  channel_id: number | null;
  channel_key_id: string | null;
  /** Whose price it has, whatever becomes of its key's group while it runs there. */
  group_symbol: string | null;
  /** What the vendor calls it; null until it is ordered there. */
  upstream_id: string | null;
  created_at: number;
  expires_at: number;
  /** Null until its file has been read. */
  in_progress_at: number | null;
  finalizing_at: number | null;
  cancelling_at: number | null;
  ended_at: number | null;
}

/** A request of an open batch that was asked, and what became of it. */
export interface BatchLineTable {
  batch_id: string;
  /** Of its file, from 1. */
  line: number;
  /** With which it was asked last; or that was charged, when a process died before it noted the answer. */
  request_id: string;
  is_error: 0 | 1;
  /** JSON, as it will stand in a file of answers; null: not answered yet. */
  output: string | null;
}

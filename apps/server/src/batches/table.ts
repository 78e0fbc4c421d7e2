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
  /** API key with which the batch was created and its requests are made. */
  api_key_id: number;
  /** Client address from which the batch was created and its requests count as sent. */
  address: string;
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  /** Seconds that the output files are kept; null: as the settings say. */
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
  /** Group whose price applies, even if the key's group changes while the batch runs at the vendor. */
  group_symbol: string | null;
  /** Id of the batch at the vendor; null until it is submitted there. */
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
  /** Line number in the input file, from 1. */
  line: number;
  /**
   * Id of the line's last request; or the one that was charged, when a process died before it recorded the response.
   */
  request_id: string;
  is_error: 0 | 1;
  /** JSON, as it will stand in a file of answers; null: not answered yet. */
  output: string | null;
}

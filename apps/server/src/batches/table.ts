/** Input or output file; its content is in the data folder, under its id. */
export interface BatchFileTable {
  /** Gateway's own unguessable id. */
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
  /** Gateway's own unguessable id. */
  id: string;
  user_id: number;
  /** API key with which the batch was created and its requests are made. */
  api_key_id: number;
  /** Client address that created the batch, and for which its requests count. */
  address: string;
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  /** Seconds for which the output files are stored; null for the default of the settings. */
  output_seconds: number | null;
  /** JSON as the client sent it. */
  metadata: string | null;
  /** JSON of `BatchInputError[]`: the reasons of a failure. */
  errors: string | null;
  /** Empty until the file has been read. */
  model: string;
  status: BatchStatus;
  total: number;
  completed: number;
  failed: number;
  /** Account whose vendor runs the batch; null if the gateway sends it line by line. */
  channel_id: number | null;
  channel_key_id: string | null;
  /** Group whose price applies, even if the key's group changes while the batch runs at the vendor. */
  group_symbol: string | null;
  /** JSON of the `LinePrice` that the vendor's lines cost, even if it changes meanwhile; null without a vendor. */
  vendor_price: string | null;
  /** Id of the batch at the vendor; null until it is submitted there. */
  upstream_id: string | null;
  created_at: number;
  expires_at: number;
  /** Null until the file has been read. */
  in_progress_at: number | null;
  finalizing_at: number | null;
  cancelling_at: number | null;
  ended_at: number | null;
}

/** Requested line of an open batch, with its response. */
export interface BatchLineTable {
  batch_id: string;
  /** Line number in the input file, from 1. */
  line: number;
  /**
   * Id of the line's last request; or of the charged one, when a process died before it stored the response. Once
   * there is a response, the id of its request.
   */
  request_id: string;
  is_error: 0 | 1;
  /** JSON line of the output file; empty if it is stored in pieces, null until there is a response. */
  output: string | null;
}

/** Piece of a long line of an output file. Pieces of a response that its line does not refer to are unused. */
export interface BatchLinePieceTable {
  batch_id: string;
  request_id: string;
  /** Position in the line, from 0. */
  piece: number;
  content: string;
}

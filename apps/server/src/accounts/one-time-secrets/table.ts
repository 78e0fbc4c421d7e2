export interface OneTimeTable {
  /** Keyed hash of the secret value, with its purpose. */
  value_hash: string;
  purpose: string;
  /** Keyed hash of the cookie of the only browser that may use it; empty for any. */
  device_hash: string;
  user_id: number | null;
  /** Subject of the secret, for instance a mail address. */
  subject: string;
  /** Sealed JSON. */
  data_sealed: string;
  /** Number of wrong attempts. */
  tries: number;
  created_time: number;
  expires_time: number;
}

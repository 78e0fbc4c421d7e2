export interface SessionTable {
  /** Keyed hash of the cookie's value. */
  id_hash: string;
  user_id: number;
  created_time: number;
  last_seen_time: number;
  address: string;
  device: string;
  /** UTC seconds until which a recent password check unlocks sensitive actions. */
  stepped_up_until: number;
}

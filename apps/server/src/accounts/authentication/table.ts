import type { Generated } from 'kysely';

export interface SessionTable {
  /** Keyed hash of the cookie's value. */
  id_hash: string;
  user_id: number;
  created_time: number;
  last_seen_time: number;
  address: string;
  device: string;
  /** UTC seconds until which a step-up allows sensitive actions. */
  stepped_up_until: number;
  /** Sign-in method of the session's user. */
  method: Generated<string>;
  /** Session in which root impersonates this user; null for the user's own. */
  parent_hash: Generated<string | null>;
}

/** Browser in which this user has signed in; wrong passwords from other browsers do not lock it out. */
export interface KnownDeviceTable {
  user_id: number;
  /** Keyed hash of the device's cookie. */
  device_hash: string;
  created_time: number;
  last_seen_time: number;
}

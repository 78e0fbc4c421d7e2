export interface AvatarTable {
  user_id: number;
  /** A PNG. */
  image: Uint8Array;
  changed_time: number;
}

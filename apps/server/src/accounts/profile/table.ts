export interface AvatarTable {
  user_id: number;
  /** PNG. */
  image: Uint8Array;
  changed_time: number;
}

/** Random secret of 32 bytes, wrapped by the master key. Key 0 is never removed. */
export interface DataKeyTable {
  id: number;
  sealed: string;
  /** UTC seconds. */
  created_time: number;
}

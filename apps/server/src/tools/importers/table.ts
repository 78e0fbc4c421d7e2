/** Result of importing a row of another installation, so that it is imported only once. */
export interface ImportMapTable {
  /** The installation, as the operator names it. */
  source: string;
  kind: 'user' | 'key' | 'group' | 'channel' | 'price' | 'code' | 'order' | 'log';
  source_id: string;
  /** 0: it has no number here. */
  target_id: number;
}

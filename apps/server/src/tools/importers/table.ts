/** Result of importing a row of another installation, so that it is imported only once. */
export interface ImportMapTable {
  /** Operator's name for the installation. */
  source: string;
  kind: 'user' | 'key' | 'group' | 'channel' | 'price' | 'code' | 'order' | 'log';
  source_id: string;
  /** 0: the row has no number here. */
  target_id: number;
}

import type { RouteOrder } from '@switchyard/contract/accounts/user-groups';
import type { Generated } from 'kysely';

export interface UserGroupTable {
  id: Generated<number>;
  symbol: string;
  name: string;
  /** Ratio × 1,000,000. */
  ratio_micros: number;
  api_rate: number;
  tokens_per_minute: Generated<number>;
  public: number;
  enable: number;
  order: RouteOrder;
  promotion: Generated<number>;
  min_usd: Generated<number>;
  max_usd: Generated<number>;
}

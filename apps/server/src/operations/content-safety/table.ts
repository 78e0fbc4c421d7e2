import type { RuleAction, RuleKind } from '@switchyard/contract/operations/content-safety';
import type { Generated } from 'kysely';

export interface SafetyRuleTable {
  id: Generated<number>;
  name: string;
  enabled: number;
  kind: RuleKind;
  action: RuleAction;
  /** JSON list of group symbols; empty for all groups. */
  groups: string;
  input: number;
  output: number;
  /** One word per line. */
  words: string;
  model: string;
  url: string;
  secret_sealed: string;
  /** JSON: category → score. */
  thresholds: string;
  timeout_ms: number;
  on_failure: 'pass' | 'refuse';
}

/** Number of matches of a rule on a UTC day. */
export interface SafetyDayTable {
  /** Days since 1970. */
  day: number;
  rule_id: number;
  found: number;
}

import type { BellNotificationKind } from '@switchyard/contract/operations/bell';

/** Finding of a check, before dismissals of the caller are considered. */
export interface BellFinding {
  kind: BellNotificationKind;
  /** Text whose change makes a dismissed finding appear again. */
  state: string;
  count: number;
  /** Names of the affected objects; only the first few are shown. */
  names: readonly string[];
  /** UTC seconds; null if unknown. */
  since: number | null;
}

/** Returns no finding without names. @param more its state, if not the names */
export function createFindings(
  kind: BellNotificationKind,
  names: readonly string[],
  more: { state?: string; since?: number | null } = {},
): BellFinding[] {
  if (names.length === 0) return [];
  return [{ kind, state: names.join('\n'), count: names.length, names, since: null, ...more }];
}

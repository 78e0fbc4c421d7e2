import type { BellNotificationKind } from '@switchyard/contract/operations/bell';

/** Finding of a check, before it is known whether the caller has dismissed it. */
export interface BellFinding {
  kind: BellNotificationKind;
  /** Everything that makes it another notice when it changes. */
  state: string;
  count: number;
  /** Names of the affected objects; only the first few are shown. */
  names: readonly string[];
  /** UTC seconds; null: unknown. */
  since: number | null;
}

/** Nothing, when it is about nothing. @param more what makes it another notice, if not the names */
export function createFindings(
  kind: BellNotificationKind,
  names: readonly string[],
  more: { state?: string; since?: number | null } = {},
): BellFinding[] {
  if (names.length === 0) return [];
  return [{ kind, state: names.join('\n'), count: names.length, names, since: null, ...more }];
}

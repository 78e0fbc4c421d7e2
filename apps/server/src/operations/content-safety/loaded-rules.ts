/** Rules as requests use them, in memory. */
import type { RulePlace } from '@switchyard/contract/operations/content-safety';
import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import type { SafetyRuleTable } from './table.ts';
import { WordMatcher } from './word-matcher.ts';

export type RuleRow = Selectable<SafetyRuleTable>;

export interface LoadedRule
  extends Pick<RuleRow, 'id' | 'name' | 'kind' | 'action' | 'model' | 'url' | 'timeout_ms' | 'on_failure'> {
  secret: string;
  thresholds: Readonly<Record<string, number>>;
}

/** Word lists that apply to a group, in one place. */
export interface WordListMatcher {
  matcher: WordMatcher;
  /** Rules by bit; those that don't apply are undefined. */
  rules: readonly (LoadedRule | undefined)[];
}

/** Rules that apply to the users of a group. */
export interface GroupRules {
  /** Word lists by place; absent if none applies. */
  words: Readonly<Partial<Record<RulePlace, WordListMatcher>>>;
  /** External checks of requests. */
  checks: readonly LoadedRule[];
}

export interface LoadedRules {
  /** Returns undefined if nothing has to be checked. */
  forGroup(group: string): GroupRules | undefined;
}

const NO_RULES: LoadedRules = { forGroup: () => undefined };

/** @param rows enabled rules */
export function createLoadedRules({ vault }: Pick<Context, 'vault'>, rows: readonly RuleRow[]): LoadedRules {
  if (rows.length === 0) return NO_RULES;
  const rules = rows.map((row) => ({ row, rule: createLoadedRule(vault, row), groups: parseGroups(row) }));
  const lists = rules.filter(({ row }) => row.kind === 'words');
  const matcher = new WordMatcher(lists.map(({ row }) => row.words.split('\n')));
  const known = new Map<string, GroupRules | undefined>();
  const named = new Set(rules.flatMap(({ groups }) => groups));
  const rulesOf = (group: string): GroupRules | undefined => {
    const applies = ({ groups }: { groups: readonly string[] }): boolean =>
      groups.length === 0 || groups.includes(group);
    const wordsAt = (place: RulePlace): WordListMatcher | undefined => {
      const here = lists.map((list) => (applies(list) && list.row[place] === 1 ? list.rule : undefined));
      return here.some((rule) => rule !== undefined) ? { matcher, rules: here } : undefined;
    };
    const [input, output] = [wordsAt('input'), wordsAt('output')];
    const checks = rules.filter((one) => one.row.kind !== 'words' && applies(one)).map(({ rule }) => rule);
    if (input === undefined && output === undefined && checks.length === 0) return undefined;
    return { words: { ...(input && { input }), ...(output && { output }) }, checks };
  };
  for (const group of ['', ...named]) known.set(group, rulesOf(group));
  const others = known.get('');
  return { forGroup: (group) => (known.has(group) ? known.get(group) : others) };
}

export function parseGroups({ groups }: Pick<RuleRow, 'groups'>): string[] {
  return JSON.parse(groups) as string[];
}

function createLoadedRule(vault: Context['vault'], row: RuleRow): LoadedRule {
  const { id, name, kind, action, model, url, timeout_ms, on_failure, secret_sealed } = row;
  const secret = secret_sealed === '' ? '' : vault.open('safety-rule', `safety_rule:${id}`, secret_sealed);
  const thresholds = JSON.parse(row.thresholds) as LoadedRule['thresholds'];
  return { id, name, kind, action, model, url, timeout_ms, on_failure, secret, thresholds };
}

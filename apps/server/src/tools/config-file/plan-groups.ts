import { type GroupWithUsage, userGroups } from '@switchyard/contract/accounts/user-groups';
import { type FileGroup, fileGroupSchema } from './file-schema.ts';
import {
  type Api,
  formatAdded,
  formatChanged,
  formatPath,
  formatRemoved,
  listDifferingFields,
  type Plan,
  type PlanStep,
  readAllPages,
} from './plan-types-and-formatting.ts';

/** Group that cannot be deleted. */
const DEFAULT_GROUP = 'default';
/** Decimals of a ratio that the server stores. */
const RATIO_DECIMALS = 6;

export interface GroupPlan extends Plan {
  /** Deletions of groups, which run last, because channels may use the groups until then. */
  removals: readonly PlanStep[];
  /** Symbols of groups that this plan creates. */
  created: ReadonlySet<string>;
}

export async function planGroups(
  api: Api,
  wanted: Readonly<Record<string, FileGroup>>,
  deleting: boolean,
): Promise<GroupPlan> {
  const stored = new Map((await listGroups(api)).map((group) => [group.symbol, group]));
  const steps: PlanStep[] = [];
  const created = new Set<string>();
  for (const [symbol, given] of Object.entries(wanted)) {
    const group = { ...given, ratio: Number(given.ratio.toFixed(RATIO_DECIMALS)) };
    const known = stored.get(symbol);
    if (known !== undefined) steps.push(...planGroupUpdate(api, known, group));
    else {
      created.add(symbol);
      steps.push({ lines: [formatAdded(['groups', symbol])], run: () => createGroup(api, symbol, group) });
    }
  }
  const left = [...stored.values()].filter(({ symbol }) => deleting && !Object.hasOwn(wanted, symbol));
  const staying = left.map((group) => ({ group, why: explainWhyKept(group) }));
  return {
    steps,
    created,
    removals: staying.flatMap(({ group: { symbol, id }, why }) =>
      why === undefined
        ? [
            {
              lines: [formatRemoved(['groups', symbol])],
              run: async () => void (await api(userGroups).remove({ params: { id } })),
            },
          ]
        : [],
    ),
    notes: staying.flatMap(({ group: { symbol }, why }) =>
      why === undefined ? [] : [`${formatPath(['groups', symbol])} stays: ${why}`],
    ),
  };
}

/**
 * Returns why a group cannot be deleted. Channels may have left it by then, but a file does not change users and
 * tokens.
 */
function explainWhyKept({ symbol, members, tokens }: GroupWithUsage): string | undefined {
  if (symbol === DEFAULT_GROUP) return 'it cannot be deleted';
  return members + tokens > 0 ? `users (${members}) or tokens (${tokens}) use it` : undefined;
}

async function createGroup(api: Api, symbol: string, { enable, ...group }: FileGroup): Promise<void> {
  const { id } = await api(userGroups).create({ body: { ...group, symbol } });
  if (!enable) await api(userGroups).toggle({ params: { id } });
}

function planGroupUpdate(api: Api, known: GroupWithUsage, group: FileGroup): PlanStep[] {
  const before = fileGroupSchema.parse(known);
  const names = listDifferingFields(before, group);
  if (names.length === 0) return [];
  const { enable: _enable, ...fields } = group;
  return [
    {
      lines: names.map((name) => formatChanged(['groups', known.symbol, name], before[name], group[name])),
      run: async () => {
        if (names.some((name) => name !== 'enable'))
          await api(userGroups).update({ body: { ...fields, id: known.id } });
        if (names.includes('enable')) await api(userGroups).toggle({ params: { id: known.id } });
      },
    },
  ];
}

export function listGroups(api: Api): Promise<GroupWithUsage[]> {
  return readAllPages<GroupWithUsage>((query) => api(userGroups).list({ query }));
}

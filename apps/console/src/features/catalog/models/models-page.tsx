import Box from '@mui/material/Box';
import type { ModelMetadata } from '@switchyard/contract/catalog/models';
import { IconMessageCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { LinkAlert } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useCurrentUser, useHasAccess } from '../../accounts/session/queries.ts';
import { groupChoices, useGroups } from '../../accounts/user-groups/queries.ts';
import { useCatalogueAlert } from '../catalog-updates/queries.ts';
import { modelColumns, modelSortValues } from './model-columns.tsx';
import { ModelDrawer } from './model-drawer.tsx';
import { priceUnits, usePriceUnit } from './model-price-cell-and-unit.tsx';
import { type Groups, type ModelRow, modelRows } from './model-rows-and-list-price.ts';
import { availableModelsQuery } from './queries.ts';

const noGroups: Groups = {};

/** Lists the models and their prices; for visitors, those of the public groups. `?open=` shows one. */
export function ModelsPage() {
  const { t } = useTranslation('models');
  const alert = useCatalogueAlert();
  const list = useListState(['owner', 'group', 'can'], 'name');
  const [opened, setOpened] = useSearchParam('open');
  const self = useCurrentUser();
  const groups = useGroups() ?? noGroups;
  const listed = useQuery(availableModelsQuery);
  const { data } = listed;
  const shownGroup = list.filters.group ?? self?.group;
  const all = useMemo(
    () => (data === undefined ? undefined : modelRows(data, groups, shownGroup)),
    [data, groups, shownGroup],
  );
  const found = useMemo(
    () =>
      all && filterRows(all, { keyword: list.keyword, ...list.filters, can: oneOf(list.filters.can, abilityNames) }),
    [all, list.keyword, list.filters],
  );
  const hasTags = all?.some(({ facts }) => facts.tags !== undefined) ?? false;
  const columns = useMemo(() => modelColumns(t, groups, hasTags), [t, groups, hasTags]);
  return (
    <>
      <PageHeader
        title={t('title')}
        aside={<PriceNote group={shownGroup} groups={groups} />}
        actions={<UnitChoice />}
      />
      {alert !== undefined && <LinkAlert {...alert} />}
      <DataTable
        name="models"
        label={t('title')}
        columns={columns}
        list={list}
        query={localQuery(found, list, modelSortValues, listed)}
        rowId={(row) => row.name}
        onOpen={(row) => setOpened(row.name)}
        {...(self === null ? {} : { renderActions: (row: ModelRow) => <TryButton model={row.name} /> })}
        filterBar={<Filters list={list} rows={all ?? []} groups={groups} />}
        empty={<NoModels />}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <ModelDrawer name={opened} rows={all} groups={groups} onClose={() => setOpened(undefined)} />
    </>
  );
}

function Filters({
  list,
  rows,
  groups,
}: {
  list: ListState<'owner' | 'group' | 'can'>;
  rows: readonly ModelRow[];
  groups: Groups;
}) {
  const { t } = useTranslation('models');
  const owners = [...new Set(rows.map(({ owner }) => owner))].filter((owner) => owner !== '').toSorted();
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          { name: 'owner', label: t('owner'), options: toOptions(owners) },
          { name: 'group', label: t('group'), options: groupChoices(groups) },
          {
            name: 'can',
            label: t('can'),
            options: abilityNames
              .filter((ability) => rows.some(({ facts }) => isAble(facts, ability)))
              .map((ability) => ({ value: ability, label: t(`ability.${ability}`) })),
          },
        ]}
      />
    </FilterBar>
  );
}

/** Shows the group and the unit of the listed prices. */
function PriceNote({ group, groups }: { group: string | undefined; groups: Groups }) {
  const { t } = useTranslation('models');
  const { number } = useFormat();
  const { unit, yuanPerUsd } = usePriceUnit();
  const known = group === undefined ? undefined : groups[group];
  const words = t(`unitNote.${unit}`, { rate: number(yuanPerUsd, 4) });
  return (
    <Box component="span" sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
      {known === undefined
        ? t('publicNote', { unit: words })
        : t('groupNote', { name: known.name, ratio: known.ratio, unit: words })}
    </Box>
  );
}

function UnitChoice() {
  const { t } = useTranslation('models');
  const { unit, setUnit } = usePriceUnit();
  return (
    <ChoiceRow
      label={t('unit')}
      value={unit}
      options={toOptions(priceUnits, (value) => t(`unitOf.${value}`))}
      onChange={setUnit}
    />
  );
}

function TryButton({ model }: { model: string }) {
  const { t } = useTranslation('models');
  return (
    <LinkButton
      to={paths.playground}
      search={{ model }}
      size="small"
      title={t('tryShort')}
      aria-label={t('tryShort')}
      sx={{ minWidth: 36 }}
    >
      <IconMessageCircle size={18} />
    </LinkButton>
  );
}

function NoModels() {
  const { t } = useTranslation('models');
  const mayAddChannels = useHasAccess('channels.write');
  if (!mayAddChannels) return <EmptyState>{t('empty')}</EmptyState>;
  return (
    <EmptyState
      action={
        <LinkButton to={paths.channels} variant="contained">
          {t('addChannel')}
        </LinkButton>
      }
    >
      {t('emptyAdmin')}
    </EmptyState>
  );
}

interface RowFilter {
  keyword: string;
  owner: string | undefined;
  group: string | undefined;
  can: Ability | undefined;
}

function filterRows(rows: readonly ModelRow[], { keyword, owner, group, can }: RowFilter): ModelRow[] {
  const wanted = keyword.toLowerCase();
  return rows.filter(
    (row) =>
      (wanted === '' || wordsOf(row).some((word) => word.toLowerCase().includes(wanted))) &&
      (owner === undefined || row.owner === owner) &&
      (group === undefined || row.groups.includes(group)) &&
      (can === undefined || isAble(row.facts, can)),
  );
}

const wordsOf = ({ name, owner, facts }: ModelRow): string[] => [
  name,
  owner,
  facts.name ?? '',
  facts.description ?? '',
  ...(facts.tags ?? []),
];

/** Abilities by which users filter models, each with a test of the model's metadata. */
const abilities = {
  tools: ({ capabilities = [] }) => capabilities.includes('tools'),
  reasoning: ({ capabilities = [] }) => capabilities.includes('reasoning'),
  'json-schema': ({ capabilities = [] }) => capabilities.includes('json-schema'),
  'web-search': ({ capabilities = [] }) => capabilities.includes('web-search'),
  'reads-images': ({ input = [] }) => input.includes('image'),
  'reads-files': ({ input = [] }) => input.includes('file'),
  'hears-sound': ({ input = [] }) => input.includes('audio'),
  'draws-images': ({ output = [] }) => output.includes('image'),
  'makes-sound': ({ output = [] }) => output.includes('audio'),
  'makes-video': ({ output = [] }) => output.includes('video'),
  embeds: ({ output = [] }) => output.includes('embedding'),
} satisfies Record<string, (facts: ModelMetadata) => boolean>;

type Ability = keyof typeof abilities;
const abilityNames = Object.keys(abilities) as Ability[];

function isAble(facts: ModelMetadata, ability: Ability): boolean {
  return abilities[ability](facts);
}
